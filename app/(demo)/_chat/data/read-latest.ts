import { isAskedEarly } from "../../_session/early-answers.ts";
import { chatClient } from "./chat-client.ts";
import type { Channel, Post, PostsPage } from "./model.ts";
import { latestPath } from "./opening-paths.ts";
import { NEXT_PAGE, SMALLEST_PAGE } from "./timeline-pages.ts";

const LARGEST_PAGE = 200;
/**
 * Number of messages, not counting replies, after which no older ones are fetched when a channel opens. If
 * the first new message is not among them, none of them counts as read.
 */
const MOST_ROOTS = 180;
const MOST_POSTS = 2_000;

/**
 * The reader's place: the number of new messages, and the time (ms) since which they are new, or null if none
 * are.
 */
export type Opening = { unread: number; lastViewedAt: number | null };

/** Returns the reader's place in a channel, from their entry in the list. */
export const openingOf = (channel: Channel | undefined): Opening => ({
  unread: channel?.messageCount ?? 0,
  lastViewedAt: channel && channel.messageCount > 0 ? channel.lastViewedAt : null,
});

/**
 * Returns whether a channel's posts reach back to one that its reader has seen. Replies are shown in their
 * threads and do not count.
 */
export function reachesSeen(posts: readonly Post[], { lastViewedAt }: Opening): boolean {
  return lastViewedAt === null || posts.some((post) => post.rootId === "" && post.createAt <= lastViewedAt);
}

/**
 * Reads the latest posts of a channel: at least `held`, and further back until one that the reader has seen
 * or until the maximum, because only an older post shows which message is the first new one.
 */
export async function readLatest(
  channelId: string,
  {
    held,
    opening,
    oldestShown,
    signal,
  }: {
    held: number;
    opening: Opening;
    /** Returns the time (ms) of the oldest post shown until the answer arrives; undefined if there is none. */
    oldestShown: () => number | undefined;
    signal: AbortSignal;
  },
): Promise<PostsPage> {
  // The page's early request, whose answer is used here, asked for the smallest page.
  const wanted = isAskedEarly(latestPath(channelId)) ? SMALLEST_PAGE : Math.max(opening.unread + 20, held);
  const perPage = Math.min(Math.max(SMALLEST_PAGE, wanted), LARGEST_PAGE);
  let page = await chatClient.posts.page(channelId, { perPage, signal });
  const reachesBack = (posts: readonly Post[]) =>
    reachesSeen(posts, opening) && (posts[0]?.createAt ?? 0) <= (oldestShown() ?? Number.POSITIVE_INFINITY);
  const isEnough = ({ posts }: PostsPage) =>
    posts.length >= MOST_POSTS ||
    (posts.length >= held &&
      (reachesBack(posts) || posts.filter(({ rootId }) => rootId === "").length >= MOST_ROOTS));
  while (page.hasMore && page.posts[0] && !isEnough(page)) {
    const before = page.posts[0].id;
    const older = await chatClient.posts
      .page(channelId, { before, perPage: NEXT_PAGE, signal })
      .catch(() => null);
    signal.throwIfAborted();
    // The latest posts are worth showing on their own.
    if (older === null) break;
    page = {
      ...page,
      posts: [...older.posts, ...page.posts],
      users: { ...older.users, ...page.users },
      hasMore: older.hasMore,
    };
  }
  return page;
}
