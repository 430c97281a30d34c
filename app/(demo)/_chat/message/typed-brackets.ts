import type { Node } from "./formatted-node.ts";

/**
 * The schemes of addresses that lose their brackets. `<std::string>` looks like an address too, but keeps
 * them.
 */
const LINKED = /^(?:https?|mailto):/i;

/** Restores the brackets around text that is not a web address. */
export function keepTypedBrackets(node: Node, text: string): void {
  node.children = node.children?.flatMap((child) => {
    keepTypedBrackets(child, text);
    const [words] = child.children ?? [];
    const isBracketed = child.type === "link" && text[child.position?.start.offset ?? -1] === "<";
    if (!isBracketed || !words?.value || LINKED.test(words.value)) return [child];
    if (child.url?.startsWith("mailto:")) return [textNode("<"), child, textNode(">")];
    return [textNode(`<${words.value}>`)];
  });
}

const textNode = (value: string): Node => ({ type: "text", value });
