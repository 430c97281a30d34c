import type { Database } from "../database.ts";

export type TeamRow = {
  id: string;
  create_at: number;
  update_at: number;
  delete_at: number;
  display_name: string;
  name: string;
  description: string;
  email: string;
  type: string;
  company_name: string;
  allowed_domains: string;
  invite_id: string;
  allow_open_invite: number;
};

export function insertTeam(db: Database, row: TeamRow): void {
  db.insert("teams", row);
}

export function updateTeam(db: Database, id: string, changes: Partial<Omit<TeamRow, "id">>): void {
  db.update("teams", { id }, changes);
}

export function findTeam(db: Database, id: string): TeamRow | undefined {
  return db.first("SELECT * FROM teams WHERE id = ?", id);
}

export function findTeamByName(db: Database, name: string): TeamRow | undefined {
  return db.first("SELECT * FROM teams WHERE name = ?", name);
}

export function findTeamByInvite(db: Database, inviteId: string): TeamRow | undefined {
  return db.first("SELECT * FROM teams WHERE invite_id = ? AND delete_at = 0", inviteId);
}

export function listTeamsOf(db: Database, userId: string): TeamRow[] {
  return db.all(
    `SELECT t.* FROM teams t JOIN team_members m ON m.team_id = t.id
     WHERE m.user_id = ? AND m.delete_at = 0 AND t.delete_at = 0 ORDER BY t.display_name`,
    userId,
  );
}

export type TeamMemberRow = {
  team_id: string;
  user_id: string;
  delete_at: number;
  scheme_user: number;
  scheme_admin: number;
};

/** Finds the membership, even a former one (delete_at > 0). */
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

export function countTeamMembers(db: Database, teamId: string): { total: number; active: number } {
  const row = db.first<{ total: number; active: number | null }>(
    `SELECT count(*) AS total, sum(u.delete_at = 0) AS active FROM team_members m JOIN users u ON u.id = m.user_id
     WHERE m.team_id = ? AND m.delete_at = 0`,
    teamId,
  );
  return { total: row?.total ?? 0, active: row?.active ?? 0 };
}
