import { createSizedCache } from "#lib/async/cache.ts";
import { awaitsEmojiTable } from "../emoji/emojify.ts";
import type { Node } from "./formatted-node.ts";
import { treeOf } from "./markdown-tree.ts";

/** Maximum sum of the sizes of the stored trees: about 1,500 usual messages. */
const MOST_SIZE = 400_000;
/** Size of a tree beside its text, which dominates in short messages. */
const TREE_SIZE = 200;

const trees = createSizedCache<{ tree: Node; size: number }>(MOST_SIZE, ({ size }) => size);

/**
 * Returns the displayed form of a text. The form of a text that was shown recently is not parsed again, and is
 * shared: callers must not change it.
 */
export function shownTree(text: string): Node {
  const known = trees.get(text);
  if (known) return known.tree;
  const tree = treeOf(text);
  // Some of its emoji are still shown by name.
  if (!awaitsEmojiTable(text)) trees.set(text, { tree, size: text.length + TREE_SIZE });
  return tree;
}
