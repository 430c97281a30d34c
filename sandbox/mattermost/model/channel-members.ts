import type { Database, Page } from "../database.ts";

export type ChannelMemberRow = {
  channel_id: string;
  user_id: string;
  last_viewed_at: number;
  /** How many of the channel's messages the member has read. */
  msg_count: number;
  mention_count: number;
  mention_count_root: number;
  msg_count_root: number;
  /** JSON of strings. */
  notify_props: string;
  last_update_at: number;
  scheme_user: number;
  scheme_admin: number;
};

export function insertChannelMember(db: Database, row: ChannelMemberRow): void {
  db.insert("channel_members", row);
}

export function updateChannelMember(
  db: Database,
  channelId: string,
  userId: string,
  changes: Partial<Omit<ChannelMemberRow, "channel_id" | "user_id">>,
): void {
  db.update("channel_members", { channel_id: channelId, user_id: userId }, changes);
}

export function findChannelMember(
  db: Database,
  channelId: string,
  userId: string,
): ChannelMemberRow | undefined {
  return db.first("SELECT * FROM channel_members WHERE channel_id = ? AND user_id = ?", channelId, userId);
}

export function deleteChannelMember(db: Database, channelId: string, userId: string): void {
  db.run("DELETE FROM channel_members WHERE channel_id = ? AND user_id = ?", channelId, userId);
}

export function listChannelMembers(db: Database, channelId: string, page: Page): ChannelMemberRow[] {
  return db.all(
    `SELECT m.* FROM channel_members m JOIN users u ON u.id = m.user_id
     WHERE m.channel_id = ? ORDER BY u.username LIMIT ? OFFSET ?`,
    channelId,
    page.limit,
    page.offset,
  );
}

export function listChannelMembersByIds(
  db: Database,
  channelId: string,
  ids: readonly string[],
): ChannelMemberRow[] {
  return db.all(
    "SELECT * FROM channel_members WHERE channel_id = ? AND user_id IN (SELECT value FROM json_each(?))",
    channelId,
    JSON.stringify(ids),
  );
}

export function listMemberIds(db: Database, channelId: string): string[] {
  const rows = db.all<{ user_id: string }>(
    "SELECT user_id FROM channel_members WHERE channel_id = ? ORDER BY user_id",
    channelId,
  );
  return rows.map((row) => row.user_id);
}

export function countChannelMembers(db: Database, channelId: string): number {
  return (
    db.first<{ n: number }>(
      `SELECT count(*) AS n FROM channel_members m JOIN users u ON u.id = m.user_id
       WHERE m.channel_id = ? AND u.delete_at = 0`,
      channelId,
    )?.n ?? 0
  );
}

/** The user's memberships in one team and in D and G channels, or (team null) in all. */
export function listChannelMembershipsOf(
  db: Database,
  userId: string,
  teamId: string | null,
  page: Page = { limit: -1, offset: 0 },
): ChannelMemberRow[] {
  return db.all(
    `SELECT m.* FROM channel_members m JOIN channels c ON c.id = m.channel_id
     WHERE m.user_id = ?1 AND (?2 IS NULL OR c.team_id = ?2 OR c.team_id = '') AND c.delete_at = 0
     ORDER BY m.channel_id LIMIT ?3 OFFSET ?4`,
    userId,
    teamId,
    page.limit,
    page.offset,
  );
}

export function addMention(
  db: Database,
  channelId: string,
  userId: string,
  isRoot: boolean,
  at: number,
): void {
  db.run(
    `UPDATE channel_members SET mention_count = mention_count + 1, mention_count_root = mention_count_root + ?,
       last_update_at = ? WHERE channel_id = ? AND user_id = ?`,
    Number(isRoot),
    at,
    channelId,
    userId,
  );
}
