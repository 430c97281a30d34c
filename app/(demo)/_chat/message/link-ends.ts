import { LINK_END } from "../media/links.ts";
import type { Node } from "./formatted-node.ts";

/** The Ogham space: white space to the formatter, which ends an address there, and to nobody else. */
const END = "\u1680";

/** An address in a sentence, and the mark behind it; one in `<…>` or `[…](…)` says itself where it ends. */
const ADDRESS = new RegExp(
  `(?<!<|\\w|\\]\\()(?:https?://|www\\.)(?:(?!${LINK_END})[^\\s<])+(?=(${LINK_END})?)`,
  "giu",
);

/** Returns the text with a sign where an address ends before a mark that the formatter would count in. */
export function markLinkEnds(text: string): string {
  return text.replace(ADDRESS, (address: string, mark?: string) => (mark ? `${address}${END}` : address));
}

const unmark = <Value>(value: Value) =>
  typeof value === "string" ? (value.replaceAll(END, "") as Value) : value;

/** Takes the signs out of a formatted text again; an address that was found in spite of one ends there. */
export function cutAtLinkEnds(node: Node): void {
  node.children = node.children?.flatMap((child) => {
    const parts = cut(child);
    for (const part of parts) cutAtLinkEnds(part);
    return parts;
  });
  for (const [key, value] of Object.entries(node)) Object.assign(node, { [key]: unmark(value) });
  // Telephones begin a sentence with a capital, also where it begins with an address.
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
