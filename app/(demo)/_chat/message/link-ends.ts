import { LINK_END } from "../media/links.ts";
import type { Node } from "./formatted-node.ts";

/**
 * Marks the end of an address: the Ogham space, which the formatter treats as white space, and which is
 * otherwise unused.
 */
const END = "\u1680";

/**
 * An address in a sentence, and the punctuation after it. An address in `<…>` or `[…](…)` ends at its
 * brackets.
 */
const ADDRESS = new RegExp(
  `(?<!<|\\w|\\]\\()(?:https?://|www\\.)(?:(?!${LINK_END})[^\\s<])+(?=(${LINK_END})?)`,
  "giu",
);

/** Returns the text with an end mark wherever the formatter would include punctuation in an address. */
export function markLinkEnds(text: string): string {
  return text.replace(ADDRESS, (address: string, mark?: string) => (mark ? `${address}${END}` : address));
}

const unmark = <Value>(value: Value) =>
  typeof value === "string" ? (value.replaceAll(END, "") as Value) : value;

/** Removes the end marks from a formatted text. An address that still includes an end mark ends there. */
export function cutAtLinkEnds(node: Node): void {
  node.children = node.children?.flatMap((child) => {
    const parts = cut(child);
    for (const part of parts) cutAtLinkEnds(part);
    return parts;
  });
  for (const [key, value] of Object.entries(node)) Object.assign(node, { [key]: unmark(value) });
  // Phones capitalize the first letter of a sentence, even in an address.
  if (node.url) node.url = node.url.replace(/^[a-z]+:/i, (scheme) => scheme.toLowerCase());
}

function cut(node: Node): Node[] {
  const [words] = node.children ?? [];
  const at = words?.value?.indexOf(END) ?? -1;
  if (node.type !== "link" || !words?.value || at < 0 || !node.url?.endsWith(words.value)) return [node];
  const rest = words.value.slice(at);
  node.url = node.url.slice(0, -rest.length);
  words.value = words.value.slice(0, at);
  return [node, { type: "text", value: rest }];
}
