import type { Locator } from "playwright/test";
import { type Room, say } from "./create-room.ts";

/** Returns a line, a paragraph or code, so that the rows differ in height. */
function textOf(index: number): string {
  if (index % 9 === 4) return `Line ${index}.\n\`\`\`\n${"let it = be;\n".repeat(index % 8)}\`\`\``;
  if (index % 5 === 2) return `Line ${index}.\n${"and some more of it ".repeat(index % 40)}`;
  return `Line ${index}.`;
}

/** Writes `count` messages of uneven height as bob, and resolves to the posts. */
export async function fill(room: Room, from: number, count: number) {
  const posts: { id: string }[] = [];
  for (let index = from; index < from + count; index++) posts.push(await say(room, "bob", textOf(index)));
  return posts;
}

export const line = (list: Locator, index: number) =>
  list.getByText(`Line ${index}.`, { exact: false }).first();

export const rowOf = (list: Locator, post: { id: string } | undefined) =>
  list.locator(`[data-post="${post?.id}"]`);
