import { expect, test } from "vitest";
import { needsMarkdown } from "#app/(demo)/_chat/message/needs-markdown.ts";

const fill = (text: string) => text.slice(0, 16_384);
const many = (part: string) => fill(part.repeat(16_384));
const ladder = (marker: string, step: number) =>
  fill(Array.from({ length: 400 }, (_, index) => `${" ".repeat(index * step)}${marker} x`).join("\n"));

test.each([
  ["in one line", many("- ")],
  ["in one line, with numbers", many("1. ")],
  ["in alternation with quotations", many("> - ")],
  ["each a step deeper", ladder("-", 2)],
  ["each a step deeper, with numbers", ladder("1.", 3)],
  [
    "each a tab deeper",
    fill(Array.from({ length: 300 }, (_, index) => `${"\t".repeat(index)}- x`).join("\n")),
  ],
  ["eleven deep in every line", many(`${"- ".repeat(11)}x\n`)],
  [
    "eleven deep, followed by lines of the innermost item",
    fill(`${"- ".repeat(11)}x\n${"y\n".repeat(8_000)}`),
  ],
  ["eleven deep, as quotations", many(`${">".repeat(11)}x\n`)],
  [
    "eleven deep, in lines that end with a carriage return",
    fill(`${"- ".repeat(11)}x\r${"y\r".repeat(8_000)}`),
  ],
])("a message of 16 KB with lists or quotations nested %s is shown as plain text", (_, text) => {
  expect(needsMarkdown(text)).toBe(false);
});

test.each([
  ["a list of three levels and a hundred lines", "- a\n  - b\n    - c\n".repeat(34)],
  ["an answer to an answer", "> > > the first\n> > the second\n> the third\n\nAnd now?"],
  [
    "a long file of settings in a block",
    `\`\`\`yaml\n${"      - name: x\n        value: y\n".repeat(400)}\`\`\``,
  ],
  ["a long article with one list", `- a\n- b\n\n${"Some words, *and more*.\n\n".repeat(500)}`],
])("formats %s", (_, text) => {
  expect(needsMarkdown(text)).toBe(true);
});
