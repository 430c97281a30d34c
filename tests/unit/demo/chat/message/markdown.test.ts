import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, test } from "vitest";
import type { Node } from "#app/(demo)/_chat/message/formatted-node.ts";
import { treeOf } from "#app/(demo)/_chat/message/markdown-tree.ts";
import { MessageExcerpt, MessageText } from "#app/(demo)/_chat/message/message-text.tsx";
import { needsMarkdown } from "#app/(demo)/_chat/message/needs-markdown.ts";
import { loadParser } from "#app/(demo)/_chat/message/parser.ts";

beforeAll(loadParser);

const findLink = (node: Node): Node | undefined =>
  node.tagName === "a" ? node : (node.children ?? []).map(findLink).find((found) => found !== undefined);

const whole = (text: string) => renderToStaticMarkup(createElement(MessageText, { text, myName: "alice" }));
const line = (text: string) =>
  renderToStaticMarkup(createElement(MessageText, { text, myName: "alice", isLine: true }));

describe("formatted text", () => {
  test("shows an author's HTML as typed", () => {
    expect(whole("a <b onclick=x>bold</b> claim<script>1</script>")).toBe(
      '<p class="not-first:mt-2">a &lt;b onclick=x&gt;bold&lt;/b&gt; claim&lt;script&gt;1&lt;/script&gt;</p>',
    );
    expect(whole("<iframe src=x></iframe>")).not.toContain("<iframe");
  });

  test("aligns table cells as the author says, and separates them by spaces in one line", () => {
    const table = "| name | sum |\n|:-----|----:|\n| alice | 3 HBD |";
    expect(whole(table)).toContain('<th style="text-align:right">sum</th>');
    expect(whole(table)).toMatch(/<td style="text-align:right"[^>]*>3 HBD<\/td>/);
    expect(line(table).replace(/\s+/g, " ")).toBe("<span> name sum alice 3 HBD </span>");
  });

  test.each([
    ["Https://example.com/A", "https://example.com/A"],
    ["see HTTP://Example.com", "http://Example.com"],
    ["<HTTPS://example.com>", "https://example.com"],
    ["[here](Https://example.com)", "https://example.com"],
    ["Www.example.com", "http://Www.example.com"],
  ])("links addresses with capitals, such as %j", (text, address) => {
    expect(needsMarkdown(text)).toBe(true);
    const { href } = findLink(treeOf(text))?.properties ?? {};
    expect(href).toBe(address);
  });

  test("highlights the search term in an excerpt of formatted text, except in mentions", () => {
    const excerpt = renderToStaticMarkup(
      createElement(MessageExcerpt, {
        ...{ text: "**bob** asks @bob", myName: "alice", pattern: /(bob)/, plain: null },
      }),
    );
    expect(excerpt).toContain("<strong><mark>bob</mark></strong>");
    expect(excerpt.match(/<mark>/g)).toHaveLength(1);
  });
});
