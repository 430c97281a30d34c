import { isAttendance } from "../data/attendance.ts";
import { isAct, isSystemPost, type OutgoingPost, type Post, programOf } from "../data/model.ts";
import { pendingIdOf } from "../data/outbox.ts";
import type { Place } from "../list/list-handle.ts";

export type PostRow = {
  kind: "post";
  key: string;
  post: Post;
  /** True if the message directly follows one by the same author and shows no name. */
  isGrouped: boolean;
  startsDay: boolean;
  /** True for the first message that the reader has not seen, below the "new messages" line. */
  isFirstNew: boolean;
};

/** Consecutive joins and departures, summarized in one line. */
export type FoldRow = {
  kind: "fold";
  key: string;
  posts: Post[];
  startsDay: boolean;
  isFirstNew: boolean;
};

export type PendingRow = { kind: "pending"; key: string; post: OutgoingPost };
export type Row = PostRow | PendingRow;
/** A row of a channel's timeline. */
export type TimelineRow = Row | FoldRow;

const GROUPED_WITHIN_MS = 5 * 60_000;
const dayOf = (time: number) => new Date(time).toDateString();

function belongsTo(previous: Post, post: Post): boolean {
  return (
    previous.userId === post.userId &&
    previous.rootId === post.rootId &&
    !isSystemPost(previous) &&
    !isSystemPost(post) &&
    // An action contains its author's name.
    !isAct(previous) &&
    !isAct(post) &&
    programOf(previous)?.name === programOf(post)?.name &&
    post.createAt - previous.createAt < GROUPED_WITHIN_MS
  );
}

type Reader = {
  myId: string;
  /** The time (ms) when the reader last viewed the channel; null if nothing was unread at the opening. */
  lastViewedAt: number | null;
  /** True if the first post is the channel's first. */
  isStart: boolean;
};

/** Returns the key of a post's row, which does not change when the server confirms the post. */
export const keyOf = (post: Post): string => pendingIdOf(post) ?? post.id;

/** Returns one row per post, oldest first; posts being sent come last. */
export function rowsOf(
  posts: readonly Post[],
  pending: readonly OutgoingPost[],
  { myId, lastViewedAt, isStart }: Reader,
): Row[] {
  const isNew = (post: Post) => lastViewedAt !== null && post.createAt > lastViewedAt && post.userId !== myId;
  const firstNew = posts.findIndex(isNew);
  const confirmed = new Set(posts.map(pendingIdOf));
  const rows = posts.map((post, index): PostRow => {
    const previous = posts[index - 1];
    const startsDay = previous ? dayOf(previous.createAt) !== dayOf(post.createAt) : isStart;
    const isFirstNew = index === firstNew && (index > 0 || isStart);
    const isGrouped = previous !== undefined && !startsDay && !isFirstNew && belongsTo(previous, post);
    return { kind: "post", key: keyOf(post), post, isGrouped, startsDay, isFirstNew };
  });
  return [
    ...rows,
    ...pending
      .filter(({ pendingId }) => !confirmed.has(pendingId))
      .map((post): PendingRow => ({ kind: "pending", key: post.pendingId, post })),
  ];
}

/** Combines consecutive joins and departures of one day, on one side of the "new" line, into one row. */
export function foldAttendance(rows: readonly Row[]): TimelineRow[] {
  const folded: TimelineRow[] = [];
  for (const row of rows) {
    const last = folded.at(-1);
    if (row.kind === "pending" || !isAttendance(row.post)) folded.push(row);
    else if (last?.kind === "fold" && !row.startsDay && !row.isFirstNew) last.posts.push(row.post);
    else {
      const { key, post, startsDay, isFirstNew } = row;
      folded.push({ kind: "fold", key, posts: [post], startsDay, isFirstNew });
    }
  }
  return folded;
}

const postsIn = (row: PostRow | FoldRow) => (row.kind === "fold" ? row.posts : [row.post]);

/** Returns where a list opens: at the linked post, at the first unseen one, or at the end. */
export function openingOf(
  rows: readonly TimelineRow[],
  { anchor, startsAtEnd }: { anchor: Post | undefined; startsAtEnd: boolean },
): Place {
  if (anchor) {
    const told = rows.filter((row) => row.kind !== "pending");
    const rowOf = (postId: string) => told.find((row) => postsIn(row).some(({ id }) => id === postId));
    const linked =
      rowOf(anchor.id) ??
      rowOf(anchor.rootId) ??
      told.findLast((row) => postsIn(row).some(({ createAt }) => createAt <= anchor.createAt));
    return linked ? { key: linked.key, align: "center" } : "end";
  }
  const firstNew = firstNewOf(rows);
  return startsAtEnd || !firstNew ? "end" : { key: firstNew.key, align: "start" };
}

/** Returns the row under the "new messages" line, if it is loaded. */
export function firstNewOf(rows: readonly TimelineRow[]): TimelineRow | undefined {
  return rows.find((row) => row.kind !== "pending" && row.isFirstNew);
}

/**
 * Finds a person's newest message that can be edited: returns its id, or the pending id of one that is being
 * sent and can be edited once it has arrived.
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
    (post) =>
      post.userId === userId &&
      post.rootId === rootId &&
      ["", "me"].includes(post.type) &&
      post.deleteAt === 0,
  )?.id;
}
