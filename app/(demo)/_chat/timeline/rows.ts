import type { OutgoingPost, Post } from "../data/model.ts";
import { pendingIdOf } from "../data/pending-ids.ts";
import type { Place } from "../list/list-handle.ts";

export type PostRow = {
  kind: "post";
  key: string;
  post: Post;
  /** Follows a message of the same author closely and shows no name of its own. */
  isGrouped: boolean;
  startsDay: boolean;
  /** The first message that the reader has not seen: the "new messages" line is above it. */
  isFirstNew: boolean;
};

export type PendingRow = { kind: "pending"; key: string; post: OutgoingPost };
export type Row = PostRow | PendingRow;

const GROUPED_WITHIN_MS = 5 * 60_000;
const dayOf = (time: number) => new Date(time).toDateString();

function belongsTo(previous: Post, post: Post): boolean {
  return (
    previous.user_id === post.user_id &&
    previous.root_id === post.root_id &&
    previous.type === "" &&
    post.type === "" &&
    post.create_at - previous.create_at < GROUPED_WITHIN_MS
  );
}

type Reader = {
  myId: string;
  /** Milliseconds; null when nothing was unread at the opening. */
  lastViewedAt: number | null;
  /** The first post is the channel's first. */
  isStart: boolean;
};

/** What a post's row is known by, from its sending on. */
export const keyOf = (post: Post): string => pendingIdOf(post) ?? post.id;

/** Root posts as rows, one each, oldest first; what was just written here comes last. */
export function rowsOf(
  posts: readonly Post[],
  pending: readonly OutgoingPost[],
  { myId, lastViewedAt, isStart }: Reader,
): Row[] {
  const isNew = (post: Post) =>
    lastViewedAt !== null && post.create_at > lastViewedAt && post.user_id !== myId;
  const firstNew = posts.findIndex(isNew);
  const confirmed = new Set(posts.map(pendingIdOf));
  return [
    ...posts.map((post, index): PostRow => {
      const previous = posts[index - 1];
      const startsDay = previous ? dayOf(previous.create_at) !== dayOf(post.create_at) : isStart;
      const isFirstNew = index === firstNew && (index > 0 || isStart);
      const isGrouped = previous !== undefined && !startsDay && !isFirstNew && belongsTo(previous, post);
      return { kind: "post", key: keyOf(post), post, isGrouped, startsDay, isFirstNew };
    }),
    ...pending
      .filter(({ pendingId }) => !confirmed.has(pendingId))
      .map((post): PendingRow => ({ kind: "pending", key: post.pendingId, post })),
  ];
}

/** Where a list opens: at the linked post, at the first unseen one, or at the end. */
export function openingOf(
  rows: readonly Row[],
  { anchor, startsAtEnd }: { anchor: Post | undefined; startsAtEnd: boolean },
): Place {
  if (anchor) {
    const rootId = anchor.root_id || anchor.id;
    const posts = rows.filter((row) => row.kind === "post");
    const linked =
      posts.find(({ post }) => post.id === rootId) ??
      posts.findLast(({ post }) => post.create_at <= anchor.create_at);
    return linked ? { key: linked.key, align: "center" } : "end";
  }
  const firstNew = firstNewOf(rows);
  return startsAtEnd || !firstNew ? "end" : { key: firstNew.key, align: "start" };
}

/** The row under the "new messages" line, where it is loaded. */
export function firstNewOf(rows: readonly Row[]): Row | undefined {
  return rows.find((row) => row.kind === "post" && row.isFirstNew);
}
