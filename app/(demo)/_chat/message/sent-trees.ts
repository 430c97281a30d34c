import type { Node } from "./formatted-node.ts";
import { type PackedTree, packTree, unpackTree } from "./packed-tree.ts";

/** The id of the element with the displayed forms of texts that the server sent with the page, as JSON. */
export const SENT_TREES = "sent-trees";

/**
 * Returns the displayed forms of texts as JSON with up to `most` characters. The first ones are the most
 * important.
 */
export function writeTrees(trees: Iterable<readonly [text: string, tree: Node]>, most: number): string {
  const sent: Array<[text: string, tree: PackedTree]> = [];
  let characters = 0;
  for (const [text, tree] of trees) {
    const entry: [string, PackedTree] = [text, packTree(tree)];
    characters += JSON.stringify(entry).length + 1;
    if (characters > most) break;
    sent.push(entry);
  }
  return JSON.stringify(sent);
}

/** Returns the texts and their displayed forms in JSON from the server. Leaves out what has another form. */
export function readTrees(json: string): Array<[text: string, tree: Node]> {
  return entriesIn(json).flatMap((entry): Array<[string, Node]> => {
    const [text, packed] = Array.isArray(entry) ? entry : [];
    const tree = unpackTree(packed);
    return typeof text === "string" && tree ? [[text, tree]] : [];
  });
}

function entriesIn(json: string): unknown[] {
  try {
    const entries: unknown = JSON.parse(json);
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}
