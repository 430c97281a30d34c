import type { Database } from "../database.ts";
import { makeId } from "../id.ts";

export type SessionRow = {
  id: string;
  token: string;
  user_id: string;
  create_at: number;
  expires_at: number;
  last_activity_at: number;
  device_id: string;
  roles: string;
  /** JSON of strings. */
  props: string;
};

export function insertSession(db: Database, values: Omit<SessionRow, "id" | "last_activity_at">): SessionRow {
  const session = { id: makeId(), last_activity_at: values.create_at, ...values };
  db.insert("sessions", session);
  return session;
}

export function findSessionByToken(db: Database, token: string): SessionRow | undefined {
  return db.first("SELECT * FROM sessions WHERE token = ?", token);
}

export function findSession(db: Database, id: string): SessionRow | undefined {
  return db.first("SELECT * FROM sessions WHERE id = ?", id);
}

export function listSessions(db: Database, userId: string): SessionRow[] {
  return db.all("SELECT * FROM sessions WHERE user_id = ? ORDER BY last_activity_at DESC", userId);
}

/** What decides whether a session is still good, of all sessions by id. */
export function listSessionValidity(db: Database): Map<string, Pick<SessionRow, "expires_at" | "props">> {
  const rows = db.all<Pick<SessionRow, "id" | "expires_at" | "props">>(
    "SELECT id, expires_at, props FROM sessions",
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export function deleteSession(db: Database, id: string): void {
  db.run("DELETE FROM sessions WHERE id = ?", id);
}

export function deleteSessionByToken(db: Database, token: string): void {
  db.run("DELETE FROM sessions WHERE token = ?", token);
}

export function deleteSessionsOf(db: Database, userId: string): void {
  db.run("DELETE FROM sessions WHERE user_id = ?", userId);
}
