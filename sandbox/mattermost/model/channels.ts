import type { Database, Page } from "../database.ts";

export type ChannelRow = {
  id: string;
  create_at: number;
  update_at: number;
  delete_at: number;
  team_id: string;
  type: string;
  display_name: string;
  name: string;
  header: string;
  purpose: string;
  last_post_at: number;
  total_msg_count: number;
  creator_id: string;
  total_msg_count_root: number;
  last_root_post_at: number;
};

export function insertChannel(db: Database, row: ChannelRow): void {
  db.insert("channels", row);
}

export function updateChannel(db: Database, id: string, changes: Partial<Omit<ChannelRow, "id">>): void {
  db.update("channels", { id }, changes);
}

export function findChannel(db: Database, id: string): ChannelRow | undefined {
  return db.first("SELECT * FROM channels WHERE id = ?", id);
}

export function findChannelByName(db: Database, teamId: string, name: string): ChannelRow | undefined {
  return db.first("SELECT * FROM channels WHERE name = ? AND team_id = ?", name, teamId);
}

/**
 * Returns the public channels with these names that are not archived, of one team or, if `teamId` is "", of
 * all.
 */
export function listOpenByNames(db: Database, teamId: string, names: readonly string[]): ChannelRow[] {
  return db.all(
    `SELECT * FROM channels WHERE type = 'O' AND delete_at = 0 AND (? = '' OR team_id = ?)
     AND name IN (SELECT value FROM json_each(?))`,
    teamId,
    teamId,
    JSON.stringify(names),
  );
}

export type ArchivedFilter = { includeDeleted: boolean; lastDeleteAt: number };

/**
 * Returns the user's channels of one team and all D and G channels or, if the team is null, those of all
 * teams.
 */
export function listChannelsOf(
  db: Database,
  userId: string,
  teamId: string | null,
  archived: ArchivedFilter = { includeDeleted: false, lastDeleteAt: 0 },
): ChannelRow[] {
  return db.all(
    `SELECT c.* FROM channels c JOIN channel_members m ON m.channel_id = c.id
     WHERE m.user_id = ?1 AND (?2 IS NULL OR c.team_id = ?2 OR c.team_id = '')
       AND (c.delete_at = 0 OR (?3 = 1 AND c.delete_at >= ?4))
     ORDER BY c.display_name, c.name`,
    userId,
    teamId,
    Number(archived.includeDeleted),
    archived.lastDeleteAt,
  );
}

export function listTeamChannels(
  db: Database,
  teamId: string,
  type: "O" | "P",
  page: Page,
  isArchived = false,
): ChannelRow[] {
  return db.all(
    `SELECT * FROM channels WHERE team_id = ? AND type = ? AND (delete_at > 0) = ? ORDER BY display_name LIMIT ? OFFSET ?`,
    teamId,
    type,
    Number(isArchived),
    page.limit,
    page.offset,
  );
}

export type ChannelSearch = {
  term: string;
  /** Teams to search; empty for every team. */
  teamIds: readonly string[];
  types: readonly string[];
  /** Includes archived channels, or selects only those. */
  archived: "never" | "also" | "only";
  /** True if the purpose is searched too. */
  isPurposeSearched: boolean;
  /** If set, only channels that this user can find: public ones and their own, or only their own. */
  userId?: string;
  isMemberOnly?: boolean;
};

const MAX_WORDS = 20;

/**
 * Returns channels whose name or title (or purpose) contains the term, or has each of its words at the start
 * of a word.
 */
export function searchChannels(db: Database, search: ChannelSearch, page: Page): ChannelRow[] {
  const words = search.term.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const purpose = search.isPurposeSearched ? " || ' ' || lower(c.purpose)" : "";
  const text = `(' ' || lower(c.name) || ' ' || lower(c.display_name)${purpose})`;
  const starts = words.map(() => `AND instr(${text}, ' ' || ?) > 0`).join(" ");
  const member = "EXISTS (SELECT 1 FROM channel_members m WHERE m.channel_id = c.id AND m.user_id = ?)";
  const visible = search.isMemberOnly ? member : `(c.type = 'O' OR ${member})`;
  return db.all(
    `SELECT c.* FROM channels c
     WHERE c.type IN (SELECT value FROM json_each(?))
       AND (? = 0 OR c.team_id = '' OR c.team_id IN (SELECT value FROM json_each(?)))
       AND (? = 'also' OR (c.delete_at > 0) = (? = 'only'))
       ${search.userId === undefined ? "" : `AND ${visible}`}
       AND (instr(${text}, ?) > 0 OR (1 = 1 ${starts}))
     ORDER BY c.display_name, c.name LIMIT ? OFFSET ?`,
    JSON.stringify(search.types),
    search.teamIds.length,
    JSON.stringify(search.teamIds),
    search.archived,
    search.archived,
    ...(search.userId === undefined ? [] : [search.userId]),
    search.term.trim().toLowerCase(),
    ...words,
    page.limit,
    page.offset,
  );
}

/** Updates the counters and times of a channel for a new post in it. */
export function countPost(
  db: Database,
  channelId: string,
  post: { createAt: number; isCounted: boolean; isRoot: boolean },
): void {
  const isRootCounted = post.isCounted && post.isRoot;
  db.run(
    `UPDATE channels SET last_post_at = max(last_post_at, ?1), total_msg_count = total_msg_count + ?2,
       total_msg_count_root = total_msg_count_root + ?3,
       last_root_post_at = CASE WHEN ?4 = 1 THEN max(last_root_post_at, ?1) ELSE last_root_post_at END
     WHERE id = ?5`,
    post.createAt,
    Number(post.isCounted),
    Number(isRootCounted),
    Number(post.isRoot),
    channelId,
  );
}

export type ChannelMemberRow = {
  channel_id: string;
  user_id: string;
  last_viewed_at: number;
  /** The number of the channel's messages that the member has read. */
  msg_count: number;
  mention_count: number;
  mention_count_root: number;
  msg_count_root: number;
  /** A JSON object whose values are strings. */
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

/** Returns the user's memberships in one team and in D and G channels or, if the team is null, in all. */
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
