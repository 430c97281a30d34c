import type { Database, Page } from "../database.ts";
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

export type AccessTokenRow = {
  id: string;
  token: string;
  user_id: string;
  description: string;
  is_active: number;
  create_at: number;
};

export function insertAccessToken(db: Database, row: AccessTokenRow): void {
  db.insert("access_tokens", row);
}

export function findAccessToken(db: Database, id: string): AccessTokenRow | undefined {
  return db.first("SELECT * FROM access_tokens WHERE id = ?", id);
}

export function findAccessTokenByValue(db: Database, token: string): AccessTokenRow | undefined {
  return db.first("SELECT * FROM access_tokens WHERE token = ?", token);
}

export function listAccessTokensOf(db: Database, userId: string, page: Page): AccessTokenRow[] {
  return db.all(
    "SELECT * FROM access_tokens WHERE user_id = ? ORDER BY create_at, id LIMIT ? OFFSET ?",
    userId,
    page.limit,
    page.offset,
  );
}

export function listAccessTokens(db: Database, page: Page): AccessTokenRow[] {
  return db.all(
    "SELECT * FROM access_tokens ORDER BY create_at, id LIMIT ? OFFSET ?",
    page.limit,
    page.offset,
  );
}

/** Tokens whose id, owner's id or owner's name starts with the term. */
export function searchAccessTokens(db: Database, term: string): AccessTokenRow[] {
  return db.all(
    `SELECT t.* FROM access_tokens t JOIN users u ON u.id = t.user_id
     WHERE substr(t.id, 1, length(?1)) = ?1 OR substr(t.user_id, 1, length(?1)) = ?1 OR substr(u.username, 1, length(?1)) = ?1
     ORDER BY t.create_at, t.id LIMIT 100`,
    term,
  );
}

export function setAccessTokenActive(db: Database, id: string, isActive: boolean): void {
  db.update("access_tokens", { id }, { is_active: Number(isActive) });
}

export function deleteAccessToken(db: Database, id: string): void {
  db.run("DELETE FROM access_tokens WHERE id = ?", id);
}
