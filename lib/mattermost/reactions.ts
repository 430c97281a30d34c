import { z } from "zod";
import { Done, type MattermostSession, path } from "./backend.ts";

const Reaction = z.object({ post_id: z.string(), emoji_name: z.string() });

/** Adds the caller's reaction; the same again changes nothing. */
export async function addReaction(
  caller: MattermostSession,
  userId: string,
  postId: string,
  emoji: string,
): Promise<void> {
  const reaction = { user_id: userId, post_id: postId, emoji_name: emoji };
  await caller.call("POST", "/reactions", Reaction, reaction);
}

/** Takes the caller's reaction back; it need not be there. */
export async function removeReaction(
  caller: MattermostSession,
  postId: string,
  emoji: string,
): Promise<void> {
  await caller.call("DELETE", path`/users/me/posts/${postId}/reactions/${emoji}`, Done);
}
