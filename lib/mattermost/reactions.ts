import { z } from "zod";
import { Done, type MattermostCaller, path } from "./mattermost.ts";

/** A reaction on a post. */
export const Reaction = z.looseObject({ user_id: z.string(), post_id: z.string(), emoji_name: z.string() });

/** Adds the caller's reaction; repeating it has no effect. */
export async function addReaction(
  caller: MattermostCaller,
  userId: string,
  postId: string,
  emoji: string,
): Promise<void> {
  const reaction = { user_id: userId, post_id: postId, emoji_name: emoji };
  await caller.call("POST", "/reactions", Reaction, reaction);
}

/** Removes the caller's reaction, if there is one. */
export async function removeReaction(caller: MattermostCaller, postId: string, emoji: string): Promise<void> {
  await caller.call("DELETE", path`/users/me/posts/${postId}/reactions/${emoji}`, Done);
}
