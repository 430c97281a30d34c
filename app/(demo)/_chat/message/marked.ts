import type { Node } from "./formatted-node.ts";

/** Returns whether a node is a mention, which has its own style and is read as one word. */
const isMention = ({ properties }: Node) =>
  Array.isArray(properties?.className) && properties.className.includes("mention");

/** Returns a formatted text with the matches of a pattern marked; the pattern has one group. */
export function marked(node: Node, pattern: RegExp): Node {
  if (!node.children || isMention(node)) return node;
  const children = node.children.flatMap((child) => {
    if (child.type !== "text" || child.value === undefined) return [marked(child, pattern)];
    return child.value.split(pattern).map((value, index): Node => {
      const text = { type: "text", value };
      return index % 2 === 1 ? { type: "element", tagName: "mark", properties: {}, children: [text] } : text;
    });
  });
  return { ...node, children };
}
