import { readFileSync } from "node:fs";

/** A fenced block of a page. */
export type Block = { page: string; line: number; language: string; text: string };

/** Returns the fenced blocks of a Markdown file in order, without the indentation of their fences. */
export function readBlocks(page: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let indent = "";
  for (const [index, line] of readFileSync(page, "utf8").split("\n").entries()) {
    const fence = /^( *)```(\w*)/.exec(line);
    if (fence && open) {
      blocks.push(open);
      open = undefined;
    } else if (fence) {
      open = { page, line: index + 1, language: fence[2] ?? "", text: "" };
      indent = fence[1] ?? "";
    } else if (open) open.text += `${line.startsWith(indent) ? line.slice(indent.length) : line}\n`;
  }
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`);
  return blocks;
}
