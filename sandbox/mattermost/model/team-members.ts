import type { Page } from "../context.ts";
import type { Database } from "../database.ts";

export type TeamMemberRow = {
  team_id: string;
  user_id: string;
  delete_at: number;
  scheme_user: number;
  scheme_admin: number;
};

/** The membership, a former one (delete_at > 0) included. */
export function findTeamMember(db: Database, teamId: string, userId: string): TeamMemberRow | undefined {
  return db.first("SELECT * FROM team_members WHERE team_id = ? AND user_id = ?", teamId, userId);
}

export function saveTeamMember(db: Database, row: TeamMemberRow): void {
  db.run(
    "INSERT OR REPLACE INTO team_members (team_id, user_id, delete_at, scheme_user, scheme_admin) VALUES (?, ?, ?, ?, ?)",
    row.team_id,
    row.user_id,
    row.delete_at,
    row.scheme_user,
    row.scheme_admin,
  );
}

export function listTeamMembers(
  db: Database,
  teamId: string,
  page: Page,
  options: { isByUsername: boolean; isActiveOnly: boolean },
): TeamMemberRow[] {
  const order = options.isByUsername ? "u.username" : "m.user_id";
  return db.all(
    `SELECT m.* FROM team_members m JOIN users u ON u.id = m.user_id
     WHERE m.team_id = ? AND m.delete_at = 0 AND (? = 0 OR u.delete_at = 0) ORDER BY ${order} LIMIT ? OFFSET ?`,
    teamId,
    Number(options.isActiveOnly),
    page.limit,
    page.offset,
  );
}

export function listTeamMembersByIds(db: Database, teamId: string, ids: readonly string[]): TeamMemberRow[] {
  return db.all(
    "SELECT * FROM team_members WHERE team_id = ? AND delete_at = 0 AND user_id IN (SELECT value FROM json_each(?))",
    teamId,
    JSON.stringify(ids),
  );
}

export function listTeamMemberIds(db: Database, teamId: string): string[] {
  const rows = db.all<{ user_id: string }>(
    "SELECT user_id FROM team_members WHERE team_id = ? AND delete_at = 0",
    teamId,
  );
  return rows.map((row) => row.user_id);
}

export function listTeamMembershipsOf(db: Database, userId: string): TeamMemberRow[] {
  return db.all(
    `SELECT m.* FROM team_members m JOIN teams t ON t.id = m.team_id
     WHERE m.user_id = ? AND m.delete_at = 0 AND t.delete_at = 0`,
    userId,
  );
}

export function countTeamMembers(db: Database, teamId: string): { total: number; active: number } {
  const row = db.first<{ total: number; active: number | null }>(
    `SELECT count(*) AS total, sum(u.delete_at = 0) AS active FROM team_members m JOIN users u ON u.id = m.user_id
     WHERE m.team_id = ? AND m.delete_at = 0`,
    teamId,
  );
  return { total: row?.total ?? 0, active: row?.active ?? 0 };
}
