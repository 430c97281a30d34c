import type { Page } from "../context.ts";
import type { Database } from "../database.ts";

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
