import { emojify } from "../emoji/emojify.ts";
import { splitMentions } from "./split-mentions.ts";

type Node = { type: string; value?: string; children?: Node[]; data?: Record<string, unknown> };

/** Text in these is what it is. */
const LITERAL = new Set(["code", "inlineCode", "link", "linkReference", "image", "html"]);

function partsOf(text: string): Node[] {
  return splitMentions(text).map((part) =>
    part.kind === "text"
      ? { type: "text", value: emojify(part.text) }
      : {
          type: "mention",
          data: { hName: "span", hProperties: { className: ["mention"] } },
          children: [{ type: "text", value: part.text }],
        },
  );
}

function dress(node: Node): void {
  if (LITERAL.has(node.type) || !node.children) return;
  node.children = node.children.flatMap((child) => {
    if (child.type === "text" && child.value !== undefined) return partsOf(child.value);
    dress(child);
    return [child];
  });
}

/** Adds to markdown what chat has: mentions, and emoji by their short names. */
export function remarkChat() {
  return (tree: unknown) => dress(tree as Node);
}
