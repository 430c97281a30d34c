import type { Database, Page, SqlValue } from "../database.ts";

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
  /** JSON of strings, as are notify_props and timezone. */
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
  /** Words that each start one of the names. */
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

export function listUsers(db: Database, filter: UserFilter, page: Page, order = "u.username"): UserRow[] {
  const { where, values } = conditions(filter);
  return db.all(
    `SELECT u.* FROM users u WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`,
    ...values,
    page.limit,
    page.offset,
  );
}

type Picture = { content_type: string; bytes: Uint8Array };

export function findPicture(db: Database, userId: string): Picture | undefined {
  return db.first("SELECT content_type, bytes FROM pictures WHERE user_id = ?", userId);
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
