import type { Node } from "./formatted-node.ts";
import { treeOf } from "./markdown-tree.ts";
import { needsMarkdown } from "./needs-markdown.ts";

/**
 * Returns the displayed forms of those texts that are formatted, in their order, until `mostMs` have passed. Some texts
 * take a hundred times as long as others, and everybody else waits for them.
 */
export function treesInTime(
  texts: Iterable<string>,
  mostMs: number,
  now: () => number = () => performance.now(),
): ReadonlyMap<string, Node> {
  const trees = new Map<string, Node>();
  const endsAtMs = now() + mostMs;
  for (const text of texts) {
    if (now() >= endsAtMs) break;
    const tree = needsMarkdown(text) ? parsed(text) : null;
    if (tree) trees.set(text, tree);
  }
  return trees;
}

function parsed(text: string): Node | null {
  try {
    return treeOf(text);
  } catch {
    return null;
  }
}
