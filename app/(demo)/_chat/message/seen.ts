import { isBlank } from "#lib/blank-text.ts";
import type { Node } from "./formatted-node.ts";

const LINKS = new Set(["link", "linkReference"]);
/** Link content that is visible without text. */
const SHOWN = new Set(["image", "imageReference", "footnoteReference"]);

const hasWords = ({ value = "", children = [] }: Node): boolean => !isBlank(value) || children.some(hasWords);

const isShown = (node: Node): boolean =>
  SHOWN.has(node.type) || hasWords(node) || (node.children ?? []).some(isShown);

/** Shows links without words, such as `[](address)`, as typed, because they would be invisible. */
export function keepEmptyLinks(node: Node, text: string): void {
  node.children = node.children?.map((child) => {
    keepEmptyLinks(child, text);
    const { start, end } = child.position ?? {};
    if (!LINKS.has(child.type) || !start || !end || isShown(child)) return child;
    return { type: "text", value: text.slice(start.offset, end.offset) };
  });
}

/**
 * Returns whether a formatted text shows anything: words, or an element in `seen`, which is visible without
 * words.
 */
export function isSeen(node: Node, seen: ReadonlySet<string>): boolean {
  const { value = "", tagName = "", properties: { src, alt } = {}, children = [] } = node;
  if (!isBlank(value)) return true;
  if (tagName === "img" && !isBlank(String(alt ?? ""))) return true;
  if (seen.has(tagName) && (tagName !== "img" || src)) return true;
  return children.some((child) => isSeen(child, seen));
}
