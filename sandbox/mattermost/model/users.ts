import type { Database, Page, SqlValue } from "../database.ts";
import { makeId } from "../id.ts";

export type UserRow = {
  id: string;
  create_at: number;
  update_at: number;
  delete_at: number;
  username: string;
  email: string;
  password_hash: string;
  nickname: string;
  first_name: string;
  last_name: string;
  position: string;
  roles: string;
  /** Strings as JSON, like notify_props and timezone. */
  props: string;
  notify_props: string;
  locale: string;
  timezone: string;
  last_password_update: number;
  last_picture_update: number;
};

export function insertUser(db: Database, row: UserRow): void {
  db.insert("users", row);
}

export function updateUser(db: Database, id: string, changes: Partial<Omit<UserRow, "id">>): void {
  db.update("users", { id }, changes);
}

export function findUser(db: Database, id: string): UserRow | undefined {
  return db.first("SELECT * FROM users WHERE id = ?", id);
}

export function findUserByUsername(db: Database, username: string): UserRow | undefined {
  return db.first("SELECT * FROM users WHERE username = ?", username.toLowerCase());
}

export function findUserByEmail(db: Database, email: string): UserRow | undefined {
  return db.first("SELECT * FROM users WHERE email = ?", email.toLowerCase());
}

export function countActiveUsers(db: Database): number {
  return db.first<{ n: number }>("SELECT count(*) AS n FROM users WHERE delete_at = 0")?.n ?? 0;
}

export function countUsers(db: Database): number {
  return db.first<{ n: number }>("SELECT count(*) AS n FROM users")?.n ?? 0;
}

export function listUsersByIds(db: Database, ids: readonly string[], since = 0): UserRow[] {
  return db.all(
    "SELECT * FROM users WHERE id IN (SELECT value FROM json_each(?)) AND update_at > ? ORDER BY username",
    JSON.stringify(ids),
    since === 0 ? -1 : since,
  );
}

export function listUsersByUsernames(db: Database, names: readonly string[]): UserRow[] {
  return db.all(
    "SELECT * FROM users WHERE username IN (SELECT value FROM json_each(?)) ORDER BY username",
    JSON.stringify(names.map((name) => name.toLowerCase())),
  );
}

export type UserFilter = {
  inTeam?: string;
  notInTeam?: string;
  withoutTeam?: boolean;
  inChannel?: string;
  notInChannel?: string;
  isActive?: boolean;
  role?: string;
  /** Words, each of which starts one of the user's names. */
  terms?: readonly string[];
  matchesEmail?: boolean;
};

const inTeam =
  "EXISTS (SELECT 1 FROM team_members t WHERE t.user_id = u.id AND t.delete_at = 0 AND t.team_id = ?)";
const inChannel = "EXISTS (SELECT 1 FROM channel_members c WHERE c.user_id = u.id AND c.channel_id = ?)";

function conditions(filter: UserFilter): { where: string; values: SqlValue[] } {
  const parts = ["1 = 1"];
  const values: SqlValue[] = [];
  const add = (part: string, value: SqlValue | undefined) => {
    if (value === undefined) return;
    parts.push(part);
    values.push(value);
  };
  add(inTeam, filter.inTeam);
  add(`NOT ${inTeam}`, filter.notInTeam);
  add(inChannel, filter.inChannel);
  add(`NOT ${inChannel}`, filter.notInChannel);
  add("(u.delete_at = 0) = ?", filter.isActive === undefined ? undefined : Number(filter.isActive));
  add("instr(' ' || u.roles || ' ', ' ' || ? || ' ') > 0", filter.role);
  if (filter.withoutTeam) {
    parts.push("NOT EXISTS (SELECT 1 FROM team_members t WHERE t.user_id = u.id AND t.delete_at = 0)");
  }
  const columns = [
    "username",
    "first_name",
    "last_name",
    "nickname",
    ...(filter.matchesEmail ? ["email"] : []),
  ];
  for (const term of filter.terms ?? []) {
    parts.push(`(${columns.map((column) => `substr(lower(u.${column}), 1, length(?)) = ?`).join(" OR ")})`);
    for (const _ of columns) values.push(term, term);
  }
  return { where: parts.join(" AND "), values };
}

const managesChannel =
  "(SELECT m.scheme_admin FROM channel_members m WHERE m.user_id = u.id AND m.channel_id = ?)";

/** Returns users sorted by name, newest first, or with the managers of the filter's channel first. */
export function listUsers(
  db: Database,
  filter: UserFilter,
  page: Page,
  order: "username" | "create_at" | "admin" = "username",
): UserRow[] {
  const { where, values } = conditions(filter);
  const orders = {
    username: "u.username",
    create_at: "u.create_at DESC",
    admin: `${managesChannel} DESC, u.username`,
  };
  return db.all(
    `SELECT u.* FROM users u WHERE ${where} ORDER BY ${orders[order]} LIMIT ? OFFSET ?`,
    ...values,
    ...(order === "admin" ? [filter.inChannel ?? ""] : []),
    page.limit,
    page.offset,
  );
}

type Picture = { content_type: string; bytes: Uint8Array };

export function findPicture(db: Database, userId: string): Picture | undefined {
  const read = "SELECT content_type, bytes FROM pictures WHERE user_id = ?";
  const row = db.first<{ content_type: string; bytes: ArrayBuffer }>(read, userId);
  return row && { ...row, bytes: new Uint8Array(row.bytes) };
}

export function savePicture(db: Database, userId: string, picture: Picture): void {
  db.run(
    "INSERT OR REPLACE INTO pictures (user_id, content_type, bytes) VALUES (?, ?, ?)",
    userId,
    picture.content_type,
    picture.bytes,
  );
}

export function deletePicture(db: Database, userId: string): void {
  db.run("DELETE FROM pictures WHERE user_id = ?", userId);
}

export type SessionRow = {
  id: string;
  token: string;
  user_id: string;
  create_at: number;
  expires_at: number;
  last_activity_at: number;
  device_id: string;
  roles: string;
  /** Strings as JSON. */
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

export function listSessions(db: Database, userId: string): SessionRow[] {
  return db.all("SELECT * FROM sessions WHERE user_id = ? ORDER BY last_activity_at DESC", userId);
}

/** Returns the data that decides whether a session is valid, for all sessions by id. */
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

export function deleteAccessToken(db: Database, id: string): void {
  db.run("DELETE FROM access_tokens WHERE id = ?", id);
}
