type Node = {
  type: string;
  value?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
};

/** A mention has its own looks, and is read as one word. */
const isMention = ({ properties }: Node) =>
  Array.isArray(properties?.className) && properties.className.includes("mention");

function markIn(node: Node, pattern: RegExp): void {
  if (!node.children || isMention(node)) return;
  node.children = node.children.flatMap((child) => {
    if (child.type !== "text" || child.value === undefined) {
      markIn(child, pattern);
      return [child];
    }
    return child.value.split(pattern).map((value, index): Node => {
      const text = { type: "text", value };
      return index % 2 === 1 ? { type: "element", tagName: "mark", properties: {}, children: [text] } : text;
    });
  });
}

/** Marks in formatted text what a pattern of one group finds; without one it changes nothing. */
export function rehypeMark({ pattern }: { pattern: RegExp | null }) {
  return (tree: unknown) => {
    if (pattern) markIn(tree as Node, pattern);
  };
}
