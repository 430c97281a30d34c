import { createSizedCache } from "#lib/async/cache.ts";
import { awaitsEmojiTable } from "../emoji/emojify.ts";
import type { Node } from "./formatted-node.ts";
import { needsMarkdown } from "./needs-markdown.ts";
import type { Parser } from "./parser.ts";

/** Maximum sum of the sizes of the stored trees: about 1,500 usual messages. */
const MOST_SIZE = 400_000;
/** Size of a tree beside its text, which dominates in short messages. */
const TREE_SIZE = 200;

const trees = createSizedCache<{ tree: Node; size: number }>(MOST_SIZE, ({ size }) => size);

/** Stores the displayed form of a text. */
export const keepTree = (text: string, tree: Node): void =>
  trees.set(text, { tree, size: text.length + TREE_SIZE });

/**
 * Returns the displayed form of a text, or null if there is nothing to format, if it can't be formatted, or if
 * the parser has not loaded. The form of a text that was shown recently is not parsed again, and is shared:
 * callers must not change it.
 */
export function shownTree(text: string, { parse }: Parser): Node | null {
  const known = trees.get(text);
  if (known) return known.tree;
  if (!parse || !needsMarkdown(text)) return null;
  try {
    const tree = parse(text);
    // Some of its emoji are still shown by name.
    if (!awaitsEmojiTable(text)) keepTree(text, tree);
    return tree;
  } catch {
    return null;
  }
}

/** Returns whether a text is shown in its final form: it needs no parser, or was or can be parsed. */
export const isShownWhole = (text: string, parser: Parser): boolean =>
  parser.parse !== null || trees.get(text) !== undefined || !needsMarkdown(text);
