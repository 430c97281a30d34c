import { isAskedEarly } from "../../_session/early-answers.ts";
import { chatClient } from "./chat-client.ts";
import type { Channel, Post, PostsPage } from "./model.ts";
import { latestPath } from "./opening-script.ts";
import { NEXT_PAGE, SMALLEST_PAGE } from "./timeline-pages.ts";

const LARGEST_PAGE = 200;
/** The messages beyond which an opening reads no further back; they are not read while the first new one is not shown. */
const MOST_ROOTS = 180;
const MOST_POSTS = 2_000;

/** Where a reader stopped: how many messages are new, and since when (ms); null where nothing is. */
export type Opening = { unread: number; lastViewedAt: number | null };

/** Where a reader stopped in a channel, by their entry in the list. */
export const openingOf = (channel: Channel | undefined): Opening => ({
  unread: channel?.message_count ?? 0,
  lastViewedAt: channel && channel.message_count > 0 ? channel.last_viewed_at : null,
});

/** Whether a channel's posts reach back to what its reader has seen. A reply is shown in its thread and says nothing of that. */
export function reachesSeen(posts: readonly Post[], { lastViewedAt }: Opening): boolean {
  return lastViewedAt === null || posts.some((post) => post.root_id === "" && post.create_at <= lastViewedAt);
}

/**
 * The latest posts of a channel, at least `held` of them, and with them all that is new to the reader, however many
 * replies lie between: the first new message can only be told from those before it.
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
    /** When (ms) the oldest post was written that is shown until the answer comes; undefined where none is. */
    oldestShown: () => number | undefined;
    signal: AbortSignal;
  },
): Promise<PostsPage> {
  // What was asked for early is on its way.
  const wanted = isAskedEarly(latestPath(channelId)) ? SMALLEST_PAGE : Math.max(opening.unread + 20, held);
  const perPage = Math.min(Math.max(SMALLEST_PAGE, wanted), LARGEST_PAGE);
  let page = await chatClient.posts.page(channelId, { perPage, signal });
  const reachesBack = (posts: readonly Post[]) =>
    reachesSeen(posts, opening) && (posts[0]?.create_at ?? 0) <= (oldestShown() ?? Number.POSITIVE_INFINITY);
  const isEnough = ({ posts }: PostsPage) =>
    posts.length >= MOST_POSTS ||
    (posts.length >= held &&
      (reachesBack(posts) || posts.filter(({ root_id }) => root_id === "").length >= MOST_ROOTS));
  while (page.hasMore && page.posts[0] && !isEnough(page)) {
    const before = page.posts[0].id;
    const older = await chatClient.posts
      .page(channelId, { before, perPage: NEXT_PAGE, signal })
      .catch(() => null);
    signal.throwIfAborted();
    // The latest posts are worth showing alone.
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
