import { defaultSchema, sanitize } from "hast-util-sanitize";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { newlineToBreak } from "mdast-util-newline-to-break";
import { toHast } from "mdast-util-to-hast";
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly";
import { gfmStrikethroughCjkFriendly } from "micromark-extension-cjk-friendly-gfm-strikethrough";
import { gfm } from "micromark-extension-gfm";
import { emojify } from "../emoji/emojify.ts";
import { LONGEST_FIGURE } from "./figure.ts";
import { type Node, textOf } from "./formatted-node.ts";
import { cutAtLinkEnds, markLinkEnds } from "./link-ends.ts";
import { splitMentions } from "./mentions.ts";
import { isSeen, keepEmptyLinks } from "./seen.ts";
import { escapeAt, findStrayDefinitions } from "./stray-definitions.ts";
import { keepTypedBrackets } from "./typed-brackets.ts";

const tildes = { singleTilde: false };
const grammar = {
  extensions: [
    gfm(tildes),
    // Chinese, Japanese and Korean have no spaces around emphasized text.
    cjkFriendlyExtension(),
    gfmStrikethroughCjkFriendly(tildes),
    // A message contains no HTML: `<url>` and `List<String>` are ordinary words.
    { disable: { null: ["htmlFlow", "htmlText"] } },
  ],
  mdastExtensions: [gfmFromMarkdown()],
};

const schema = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    span: [["className", "mention", "channel", "figure"] as [string, ...string[]]],
  },
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: ["http", "https"] },
};

/** Elements that are visible without words. */
const SEEN: ReadonlySet<string> = new Set(["hr", "img", "input", "li", "pre", "table"]);

/**
 * Returns the displayed form of Markdown text, with a chat's additions: mentions, and emoji by their short
 * names. A text that would show nothing, such as `&nbsp;` or `#`, is shown as typed.
 */
export function treeOf(text: string): Node {
  const tree = shape(parse(text));
  return isSeen(tree, SEEN) ? tree : shape(asTyped(text));
}

/**
 * Maximum number of passes. Each pass finds the stray definitions inside the notes that the previous pass
 * found; no one writes so many levels by hand.
 */
const MOST_PASSES = 4;

function parse(text: string): Node {
  let marked = markLinkEnds(text);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const written = fromMarkdown(marked, grammar) as Node;
    const strays = findStrayDefinitions(written);
    if (strays.length === 0) {
      keepTypedBrackets(written, marked);
      keepEmptyLinks(written, marked);
      cutAtLinkEnds(written);
      return written;
    }
    marked = escapeAt(marked, strays);
  }
  return asTyped(text);
}

const asTyped = (text: string): Node => ({
  type: "root",
  children: [{ type: "paragraph", children: [{ type: "text", value: text }] }],
});

type MarkdownRoot = Parameters<typeof newlineToBreak>[0];

function shape(written: Node): Node {
  newlineToBreak(written as MarkdownRoot);
  dress(written);
  return sanitize(toHast(written as MarkdownRoot), schema) as Node;
}

/** Elements whose text is literal. */
const LITERAL = new Set(["code", "inlineCode", "link", "linkReference", "image"]);

function partsOf(text: string): Node[] {
  return splitMentions(text).map((part) =>
    part.kind === "text"
      ? { type: "text", value: emojify(part.text) }
      : inSpan(part.kind, { type: "text", value: part.text }),
  );
}

function inSpan(kind: string, child: Node): Node {
  return {
    type: kind,
    data: { hName: "span", hProperties: { className: [kind] } },
    children: [child],
  };
}

/** A number in a longer text, with its sign, digit separators and unit. */
const NUMBER =
  /((?:[+−±≈<>-] ?)?[$€£¥]?\d(?:\d|[.,:/'’–-](?=\d)|[ \u202f](?=\d)){0,31}(?: ?(?:[%‰]|°[CF]?|[A-Za-zµΩ]{1,4}\b))?)/;

/** Splits a long table cell so that no line break splits a number. */
function cellPartsOf(text: string): Node[] {
  return partsOf(text).flatMap((part) => {
    if (part.type !== "text" || part.value === undefined) return [part];
    return part.value.split(NUMBER).flatMap((value, index): Node[] => {
      if (value === "") return [];
      const text = { type: "text", value };
      if (index % 2 === 0) return [text];
      return [inSpan("figure", text)];
    });
  });
}

function dress(node: Node, isInCell = false): void {
  if (LITERAL.has(node.type) || !node.children) return;
  const isCell = isInCell || (node.type === "tableCell" && textOf(node).length > LONGEST_FIGURE);
  node.children = node.children.flatMap((child) => {
    if (child.type === "text" && child.value !== undefined)
      return isCell ? cellPartsOf(child.value) : partsOf(child.value);
    dress(child, isCell);
    return [child];
  });
}
