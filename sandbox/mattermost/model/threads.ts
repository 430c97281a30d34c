import type { Database } from "../database.ts";

export type ThreadMemberRow = {
  post_id: string;
  user_id: string;
  following: number;
  last_viewed_at: number;
  last_update_at: number;
  unread_mentions: number;
};

export function findThreadMember(db: Database, postId: string, userId: string): ThreadMemberRow | undefined {
  return db.first("SELECT * FROM thread_members WHERE post_id = ? AND user_id = ?", postId, userId);
}

export function saveThreadMember(db: Database, row: ThreadMemberRow): void {
  db.run(
    `INSERT OR REPLACE INTO thread_members (post_id, user_id, following, last_viewed_at, last_update_at, unread_mentions)
     VALUES (?, ?, ?, ?, ?, ?)`,
    row.post_id,
    row.user_id,
    row.following,
    row.last_viewed_at,
    row.last_update_at,
    row.unread_mentions,
  );
}

export function deleteThreadMembers(db: Database, postId: string): void {
  db.run("DELETE FROM thread_members WHERE post_id = ?", postId);
}

/** Returns the ids of the users who follow the thread and are in its channel. */
export function listFollowers(db: Database, postId: string): string[] {
  return db
    .all<{ user_id: string }>(
      `SELECT t.user_id FROM thread_members t JOIN posts p ON p.id = t.post_id
       JOIN channel_members m ON m.channel_id = p.channel_id AND m.user_id = t.user_id
       WHERE t.post_id = ? AND t.following = 1 ORDER BY t.user_id`,
      postId,
    )
    .map((row) => row.user_id);
}

export type ThreadCount = { root_id: string; reply_count: number; last_reply_at: number };

export function countReplies(db: Database, rootIds: readonly string[]): Map<string, ThreadCount> {
  const rows = db.all<ThreadCount>(
    `SELECT root_id, count(*) AS reply_count, max(create_at) AS last_reply_at FROM posts
     WHERE root_id <> '' AND root_id IN (SELECT value FROM json_each(?)) AND delete_at = 0 AND original_id = '' GROUP BY root_id`,
    JSON.stringify(rootIds),
  );
  return new Map(rows.map((row) => [row.root_id, row]));
}

/** Returns a map from root ids to the ids of the users who replied, in the order of their last replies. */
export function listParticipants(db: Database, rootIds: readonly string[]): Map<string, string[]> {
  const rows = db.all<{ root_id: string; user_id: string }>(
    `SELECT root_id, user_id FROM posts WHERE root_id <> '' AND root_id IN (SELECT value FROM json_each(?))
     AND delete_at = 0 AND original_id = '' GROUP BY root_id, user_id ORDER BY max(create_at)`,
    JSON.stringify(rootIds),
  );
  const participants = new Map<string, string[]>();
  for (const row of rows)
    participants.set(row.root_id, [...(participants.get(row.root_id) ?? []), row.user_id]);
  return participants;
}

export function listFollowed(db: Database, userId: string, rootIds: readonly string[]): Set<string> {
  const rows = db.all<{ post_id: string }>(
    `SELECT post_id FROM thread_members WHERE user_id = ? AND following = 1
     AND post_id IN (SELECT value FROM json_each(?))`,
    userId,
    JSON.stringify(rootIds),
  );
  return new Set(rows.map((row) => row.post_id));
}

export function countUnreadReplies(db: Database, rootId: string, lastViewedAt: number): number {
  return (
    db.first<{ n: number }>(
      `SELECT count(*) AS n FROM posts WHERE root_id <> '' AND root_id = ? AND create_at > ? AND delete_at = 0 AND original_id = ''`,
      rootId,
      lastViewedAt,
    )?.n ?? 0
  );
}

export type FollowedThread = {
  post_id: string;
  channel_id: string;
  last_viewed_at: number;
  last_reply_at: number;
  reply_count: number;
  unread_replies: number;
  unread_mentions: number;
};

/**
 * Returns the threads with replies that a user follows, in a team's channels and in their D and G channels,
 * last reply first.
 */
export function listFollowedThreads(
  db: Database,
  userId: string,
  teamId: string,
  channelId: string | null = null,
): FollowedThread[] {
  return db.all(
    `SELECT t.post_id, p.channel_id, t.last_viewed_at, t.unread_mentions,
       max(r.create_at) AS last_reply_at, count(*) AS reply_count, sum(r.create_at > t.last_viewed_at) AS unread_replies
     FROM thread_members t
     JOIN posts p ON p.id = t.post_id AND p.delete_at = 0
     JOIN channels c ON c.id = p.channel_id AND c.delete_at = 0 AND (?2 = '' OR c.team_id = ?2 OR c.team_id = '')
     JOIN channel_members m ON m.channel_id = c.id AND m.user_id = t.user_id
     JOIN posts r ON r.root_id <> '' AND r.root_id = p.id AND r.delete_at = 0 AND r.original_id = ''
     WHERE t.user_id = ?1 AND t.following = 1 AND (?3 IS NULL OR c.id = ?3)
     GROUP BY t.post_id ORDER BY last_reply_at DESC`,
    userId,
    teamId,
    channelId,
  );
}
