import type { OutgoingPost, Post } from "./model.ts";

const MAX_PAGES = 10;

/** Posts of a channel, oldest first: the newest, or those just before one. */
export type ReadPosts = (channelId: string, before?: string) => Promise<{ posts: Post[]; hasMore: boolean }>;

/**
 * The server's copy of a post whose answer was lost, or undefined when it did not arrive. The server does not keep the
 * pending id, so the copy is known by its author, place, text, and by being newer than what was known before the try.
 */
export async function findArrived(
  { pendingId, channelId, rootId, message, triedAfter = 0 }: OutgoingPost,
  myId: string,
  read: ReadPosts,
): Promise<Post | undefined> {
  const isIt = (post: Post) =>
    post.pending_post_id === pendingId ||
    (post.user_id === myId &&
      post.root_id === rootId &&
      post.message === message &&
      post.create_at > triedAfter);
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { posts, hasMore } = await read(channelId, before);
    const arrived = posts.find(isIt);
    const oldest = posts[0];
    if (arrived || !hasMore || !oldest || oldest.create_at <= triedAfter) return arrived;
    before = oldest.id;
  }
  return undefined;
}
