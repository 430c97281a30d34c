import type { OutgoingPost, Post } from "../data/model.ts";

/**
 * The newest message of a person that can be edited: its id, or the pending id of one that is being sent and can be
 * edited as soon as it is there.
 */
export function findLastOwn(
  posts: readonly Post[],
  outgoing: readonly OutgoingPost[],
  userId: string,
  rootId: string,
): string | undefined {
  const sending = outgoing.findLast(({ state }) => state === "sending");
  if (sending) return sending.pendingId;
  return posts.findLast(
    (post) => post.user_id === userId && post.root_id === rootId && post.type === "" && post.delete_at === 0,
  )?.id;
}
