import type { Database } from "../database.ts";

export type ReactionRow = {
  user_id: string;
  post_id: string;
  emoji_name: string;
  channel_id: string;
  create_at: number;
  update_at: number;
};

/** Adds the reaction, or refreshes the one that is there. */
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

/** The different emoji on a post. */
export function listEmojiNames(db: Database, postId: string): string[] {
  return db
    .all<{ emoji_name: string }>("SELECT DISTINCT emoji_name FROM reactions WHERE post_id = ?", postId)
    .map((row) => row.emoji_name);
}
