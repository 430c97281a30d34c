import type { Database, SqlValue } from "../database.ts";
import { isCountedType, isSystemType } from "../id.ts";

export type PostRow = {
  number: number;
  id: string;
  create_at: number;
  update_at: number;
  edit_at: number;
  delete_at: number;
  is_pinned: number;
  user_id: string;
  channel_id: string;
  root_id: string;
  /** The id of the edited post; empty except in its old versions. */
  original_id: string;
  message: string;
  type: string;
  /** The post's props as JSON. */
  props: string;
  hashtags: string;
  pending_post_id: string;
};

export function insertPost(db: Database, row: Omit<PostRow, "number">): PostRow {
  db.insert("posts", row);
  const stored = findPost(db, row.id);
  if (!stored) throw new Error("a stored post is missing");
  if (stored.original_id === "" && !isSystemType(stored.type)) indexWords(db, stored);
  return stored;
}

function indexWords(db: Database, post: PostRow): void {
  db.insert("post_words", { rowid: post.number, message: post.message, hashtags: post.hashtags });
}

export function updatePost(
  db: Database,
  post: PostRow,
  changes: Partial<Omit<PostRow, "id" | "number">>,
): PostRow {
  db.update("posts", { id: post.id }, changes);
  const next = { ...post, ...changes };
  if (changes.message !== undefined || changes.delete_at !== undefined) {
    db.run("DELETE FROM post_words WHERE rowid = ?", post.number);
    if (next.delete_at === 0) indexWords(db, next);
  }
  return next;
}

export function findPost(db: Database, id: string): PostRow | undefined {
  return db.first("SELECT * FROM posts WHERE id = ?", id);
}

export function listPostsByIds(db: Database, ids: readonly string[]): PostRow[] {
  return db.all(
    "SELECT * FROM posts WHERE id IN (SELECT value FROM json_each(?)) ORDER BY create_at DESC",
    JSON.stringify(ids),
  );
}

/** Finds the newest post since a time that was sent with this pending id. */
export function findPostByPendingId(db: Database, pendingId: string, since: number): PostRow | undefined {
  return db.first(
    "SELECT * FROM posts WHERE pending_post_id = ? AND create_at > ? AND original_id = '' ORDER BY create_at DESC LIMIT 1",
    pendingId,
    since,
  );
}

export function newestPostTime(db: Database): number {
  return db.first<{ t: number | null }>("SELECT max(max(create_at), max(update_at)) AS t FROM posts")?.t ?? 0;
}

export type PostFilter = { isRootOnly: boolean; includeDeleted: boolean };
export type Span = { before?: number; after?: number };

function listed(filter: PostFilter): string {
  const deleted = filter.includeDeleted ? "" : " AND delete_at = 0";
  return `original_id = ''${deleted}${filter.isRootOnly ? " AND root_id = ''" : ""}`;
}

/** Returns posts of a channel, newest first. With `after`, returns the posts closest to that time. */
export function listPosts(
  db: Database,
  channelId: string,
  filter: PostFilter,
  span: Span,
  page: { limit: number; offset: number },
): PostRow[] {
  const isForward = span.after !== undefined;
  const bound = isForward ? "AND create_at > ?" : span.before !== undefined ? "AND create_at < ?" : "";
  const values: SqlValue[] = [channelId];
  const edge = span.after ?? span.before;
  if (edge !== undefined) values.push(edge);
  const rows = db.all<PostRow>(
    `SELECT * FROM posts WHERE channel_id = ? ${bound} AND ${listed(filter)}
     ORDER BY create_at ${isForward ? "ASC" : "DESC"} LIMIT ? OFFSET ?`,
    ...values,
    page.limit,
    page.offset,
  );
  return isForward ? rows.reverse() : rows;
}

const MAX_SINCE = 1000;

/**
 * Returns everything that changed after a time, including deleted posts and the old versions of edited ones.
 */
export function listPostsSince(
  db: Database,
  channelId: string,
  since: number,
  isRootOnly: boolean,
): PostRow[] {
  return db.all(
    `SELECT * FROM posts WHERE channel_id = ? AND update_at > ? ${isRootOnly ? "AND root_id = ''" : ""}
     ORDER BY create_at DESC LIMIT ?`,
    channelId,
    since,
    MAX_SINCE,
  );
}

/** Finds the id of the next listed post after or before a time, or "" if there is none. */
export function findNeighbour(
  db: Database,
  channelId: string,
  filter: PostFilter,
  direction: "newer" | "older",
  time: number,
): string {
  const [comparison, order] = direction === "newer" ? [">", "ASC"] : ["<", "DESC"];
  return (
    db.first<{ id: string }>(
      `SELECT id FROM posts WHERE channel_id = ? AND create_at ${comparison} ? AND ${listed(filter)}
       ORDER BY create_at ${order} LIMIT 1`,
      channelId,
      time,
    )?.id ?? ""
  );
}

export function listReplies(db: Database, rootId: string, includeDeleted = false): PostRow[] {
  return db.all(
    `SELECT * FROM posts WHERE root_id = ? AND original_id = '' ${includeDeleted ? "" : "AND delete_at = 0"}
     ORDER BY create_at DESC`,
    rootId,
  );
}

export function listPinned(db: Database, channelId: string): PostRow[] {
  return db.all(
    "SELECT * FROM posts WHERE channel_id = ? AND is_pinned = 1 AND delete_at = 0 AND original_id = '' ORDER BY create_at",
    channelId,
  );
}

/** Returns the posts that count as messages from a time on, oldest first. */
export function listMessagesFrom(db: Database, channelId: string, from: number): PostRow[] {
  const rows = db.all<PostRow>(
    `SELECT * FROM posts WHERE channel_id = ? AND create_at >= ? AND delete_at = 0 AND original_id = ''
     ORDER BY create_at`,
    channelId,
    from,
  );
  return rows.filter((row) => isCountedType(row.type));
}

export type ReactionRow = {
  user_id: string;
  post_id: string;
  emoji_name: string;
  channel_id: string;
  create_at: number;
  update_at: number;
};

/** Adds the reaction, or refreshes the existing one. */
export function saveReaction(db: Database, row: ReactionRow): void {
  db.run(
    `INSERT INTO reactions (user_id, post_id, emoji_name, channel_id, create_at, update_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (post_id, user_id, emoji_name) DO UPDATE SET update_at = excluded.update_at`,
    row.user_id,
    row.post_id,
    row.emoji_name,
    row.channel_id,
    row.create_at,
    row.update_at,
  );
}

export function deleteReaction(db: Database, postId: string, userId: string, emojiName: string): boolean {
  return (
    db.run(
      "DELETE FROM reactions WHERE post_id = ? AND user_id = ? AND emoji_name = ?",
      postId,
      userId,
      emojiName,
    ) > 0
  );
}

export function listReactions(db: Database, postIds: readonly string[]): ReactionRow[] {
  return db.all(
    "SELECT * FROM reactions WHERE post_id IN (SELECT value FROM json_each(?)) ORDER BY create_at, user_id",
    JSON.stringify(postIds),
  );
}

/** Returns the different emoji on a post. */
export function listEmojiNames(db: Database, postId: string): string[] {
  return db
    .all<{ emoji_name: string }>("SELECT DISTINCT emoji_name FROM reactions WHERE post_id = ?", postId)
    .map((row) => row.emoji_name);
}
