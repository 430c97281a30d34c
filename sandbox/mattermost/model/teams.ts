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

export function listTeams(
  db: Database,
  page: { limit: number; offset: number },
  isOpenOnly: boolean,
): TeamRow[] {
  return db.all(
    "SELECT * FROM teams WHERE (? = 0 OR allow_open_invite = 1) ORDER BY display_name LIMIT ? OFFSET ?",
    Number(isOpenOnly),
    page.limit,
    page.offset,
  );
}

export function listTeamsOf(db: Database, userId: string): TeamRow[] {
  return db.all(
    `SELECT t.* FROM teams t JOIN team_members m ON m.team_id = t.id
     WHERE m.user_id = ? AND m.delete_at = 0 AND t.delete_at = 0 ORDER BY t.display_name`,
    userId,
  );
}
