import type { Node } from "./formatted-node.ts";

/** A node as JSON: a text, or an element's name, its properties or null, and its children. */
type PackedNode = string | [tagName: string, properties: Node["properties"] | null, ...PackedNode[]];

/** A displayed tree as short JSON: the children of its root. */
export type PackedTree = PackedNode[];

const TAG = /^[a-z][a-z0-9]*$/;

/** Returns a displayed tree as short JSON. */
export const packTree = (tree: Node): PackedTree => (tree.children ?? []).map(pack);

function pack({ tagName, value = "", properties = {}, children = [] }: Node): PackedNode {
  if (tagName === undefined) return value;
  return [tagName, Object.keys(properties).length > 0 ? properties : null, ...children.map(pack)];
}

/** Returns the tree that was packed, or null if the value is none. */
export function unpackTree(packed: unknown): Node | null {
  const children = unpackAll(packed);
  return children && { type: "root", children };
}

function unpackAll(packed: unknown): Node[] | null {
  if (!Array.isArray(packed)) return null;
  const nodes = packed.map(unpack);
  return nodes.includes(null) ? null : (nodes as Node[]);
}

function unpack(packed: unknown): Node | null {
  if (typeof packed === "string") return { type: "text", value: packed };
  if (!Array.isArray(packed)) return null;
  const [tagName, properties, ...inner] = packed as unknown[];
  const children = unpackAll(inner);
  if (typeof tagName !== "string" || !TAG.test(tagName) || !children) return null;
  if (typeof properties !== "object" || Array.isArray(properties)) return null;
  return { type: "element", tagName, properties: { ...properties }, children };
}
