import type Libsql from "libsql";
import { openDatabase as openFile } from "../../lib/store/open-database.ts";

/**
 * The values that SQL statements accept. Booleans are left out, because the driver aborts the process on
 * them.
 */
export type SqlValue = string | number | null | Uint8Array;

export type Database = {
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  first<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  /** Runs a statement, and returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number;
  insert(table: string, row: Readonly<Record<string, SqlValue>>): void;
  /** Sets `changes` in the rows whose columns equal `key`. */
  update(
    table: string,
    key: Readonly<Record<string, SqlValue>>,
    changes: Readonly<Record<string, SqlValue>>,
  ): number;
  /** Runs `work` completely or not at all. Inside another transaction, `work` is part of that transaction. */
  transact<T>(work: () => T): T;
  isInTransaction(): boolean;
  /** Returns a number that changes with each write, so that answers can be cached until then. */
  version(): number;
  /** Returns false once the database is closed; then every other call throws. */
  isOpen(): boolean;
  close(): void;
};

const MAX_STATEMENTS = 500;

/** Opens `mattermost.sqlite` in `dataDir`, and creates it on first use. */
export function openDatabase(dataDir: string): Database {
  const libsql = openFile(dataDir, "mattermost.sqlite");
  // With a write-ahead log, NORMAL preserves every commit if the process dies, but may lose some if the
  // machine fails.
  libsql.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;");
  libsql.exec(schema);

  const statements = new Map<string, Libsql.Statement>();
  let isOpen = true;
  let version = 0;
  // The driver aborts the process if a closed database is used.
  const demandOpen = () => {
    if (!isOpen) throw new Error("the database is closed");
  };
  const prepare = (sql: string) => {
    demandOpen();
    const known = statements.get(sql);
    if (known) return known;
    // The statements vary with the number of search words and of columns, so there are many, but the number
    // is bounded.
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const statement = libsql.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const run = (sql: string, values: SqlValue[]) => {
    version += 1;
    return prepare(sql).run(values).changes;
  };
  const equals = (columns: string[]) => columns.map((column) => `${column} = ?`);

  return {
    all<Row>(sql: string, ...values: SqlValue[]) {
      return prepare(sql).all(values) as Row[];
    },
    first<Row>(sql: string, ...values: SqlValue[]) {
      return prepare(sql).all(values)[0] as Row | undefined;
    },
    run: (sql, ...values) => run(sql, values),
    insert(table, row) {
      const columns = Object.keys(row);
      run(
        `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
        Object.values(row),
      );
    },
    update(table, key, changes) {
      const set = equals(Object.keys(changes)).join(", ");
      const where = equals(Object.keys(key)).join(" AND ");
      return run(`UPDATE ${table} SET ${set} WHERE ${where}`, [
        ...Object.values(changes),
        ...Object.values(key),
      ]);
    },
    transact(work) {
      demandOpen();
      if (libsql.inTransaction) return work();
      libsql.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        libsql.exec("COMMIT");
        return result;
      } catch (error) {
        if (libsql.inTransaction) libsql.exec("ROLLBACK");
        version += 1;
        throw error;
      }
    },
    isInTransaction: () => isOpen && libsql.inTransaction,
    version: () => version,
    isOpen: () => isOpen,
    close() {
      isOpen = false;
      statements.clear();
      libsql.close();
    },
  };
}

/** Mattermost's tables. Columns that hold JSON are named in `model/`. */
const schema = `
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, create_at INTEGER NOT NULL, update_at INTEGER NOT NULL, delete_at INTEGER NOT NULL DEFAULT 0,
  username TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL,
  nickname TEXT NOT NULL DEFAULT '', first_name TEXT NOT NULL DEFAULT '', last_name TEXT NOT NULL DEFAULT '',
  position TEXT NOT NULL DEFAULT '', roles TEXT NOT NULL, props TEXT NOT NULL, notify_props TEXT NOT NULL,
  locale TEXT NOT NULL, timezone TEXT NOT NULL,
  last_password_update INTEGER NOT NULL, last_picture_update INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pictures (user_id TEXT PRIMARY KEY, content_type TEXT NOT NULL, bytes BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, create_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, last_activity_at INTEGER NOT NULL, device_id TEXT NOT NULL, roles TEXT NOT NULL, props TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_by_user ON sessions (user_id);
CREATE TABLE IF NOT EXISTS access_tokens (
  id TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, description TEXT NOT NULL,
  is_active INTEGER NOT NULL, create_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS access_tokens_by_user ON access_tokens (user_id, create_at);
CREATE TABLE IF NOT EXISTS statuses (
  user_id TEXT PRIMARY KEY, status TEXT NOT NULL, manual INTEGER NOT NULL, last_activity_at INTEGER NOT NULL, dnd_end_time INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS teams (
  id TEXT PRIMARY KEY, create_at INTEGER NOT NULL, update_at INTEGER NOT NULL, delete_at INTEGER NOT NULL DEFAULT 0,
  display_name TEXT NOT NULL, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, email TEXT NOT NULL, type TEXT NOT NULL,
  company_name TEXT NOT NULL DEFAULT '', allowed_domains TEXT NOT NULL DEFAULT '', invite_id TEXT NOT NULL, allow_open_invite INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS team_members (
  team_id TEXT NOT NULL, user_id TEXT NOT NULL, delete_at INTEGER NOT NULL DEFAULT 0,
  scheme_user INTEGER NOT NULL, scheme_admin INTEGER NOT NULL, PRIMARY KEY (team_id, user_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS team_members_by_user ON team_members (user_id);

CREATE TABLE IF NOT EXISTS channels (
  id TEXT PRIMARY KEY, create_at INTEGER NOT NULL, update_at INTEGER NOT NULL, delete_at INTEGER NOT NULL DEFAULT 0,
  team_id TEXT NOT NULL, type TEXT NOT NULL, display_name TEXT NOT NULL, name TEXT NOT NULL, header TEXT NOT NULL DEFAULT '',
  purpose TEXT NOT NULL DEFAULT '', last_post_at INTEGER NOT NULL DEFAULT 0, total_msg_count INTEGER NOT NULL DEFAULT 0,
  creator_id TEXT NOT NULL, total_msg_count_root INTEGER NOT NULL DEFAULT 0, last_root_post_at INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS channels_by_name ON channels (name, team_id);
CREATE INDEX IF NOT EXISTS channels_by_team ON channels (team_id, type);
CREATE TABLE IF NOT EXISTS channel_members (
  channel_id TEXT NOT NULL, user_id TEXT NOT NULL, last_viewed_at INTEGER NOT NULL DEFAULT 0, msg_count INTEGER NOT NULL DEFAULT 0,
  mention_count INTEGER NOT NULL DEFAULT 0, mention_count_root INTEGER NOT NULL DEFAULT 0, msg_count_root INTEGER NOT NULL DEFAULT 0,
  notify_props TEXT NOT NULL, last_update_at INTEGER NOT NULL, scheme_user INTEGER NOT NULL, scheme_admin INTEGER NOT NULL,
  PRIMARY KEY (channel_id, user_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS channel_members_by_user ON channel_members (user_id);

CREATE TABLE IF NOT EXISTS posts (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, create_at INTEGER NOT NULL, update_at INTEGER NOT NULL,
  edit_at INTEGER NOT NULL DEFAULT 0, delete_at INTEGER NOT NULL DEFAULT 0, is_pinned INTEGER NOT NULL DEFAULT 0, user_id TEXT NOT NULL,
  channel_id TEXT NOT NULL, root_id TEXT NOT NULL DEFAULT '', original_id TEXT NOT NULL DEFAULT '', message TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT '', props TEXT NOT NULL, hashtags TEXT NOT NULL DEFAULT '', pending_post_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS posts_by_channel ON posts (channel_id, create_at);
CREATE INDEX IF NOT EXISTS posts_by_change ON posts (channel_id, update_at);
CREATE INDEX IF NOT EXISTS posts_by_root ON posts (root_id, create_at) WHERE root_id <> '';
CREATE INDEX IF NOT EXISTS posts_by_pending ON posts (pending_post_id, create_at) WHERE pending_post_id <> '';
CREATE VIRTUAL TABLE IF NOT EXISTS post_words USING fts5(message, hashtags, tokenize = "porter unicode61");

CREATE TABLE IF NOT EXISTS files (
  id TEXT PRIMARY KEY, user_id TEXT NOT NULL, post_id TEXT NOT NULL, channel_id TEXT NOT NULL, create_at INTEGER NOT NULL,
  update_at INTEGER NOT NULL, delete_at INTEGER NOT NULL, name TEXT NOT NULL, extension TEXT NOT NULL, size INTEGER NOT NULL,
  mime_type TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, has_preview INTEGER NOT NULL,
  position INTEGER NOT NULL, bytes BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_by_post ON files (post_id, position) WHERE post_id <> '';

CREATE TABLE IF NOT EXISTS reactions (
  user_id TEXT NOT NULL, post_id TEXT NOT NULL, emoji_name TEXT NOT NULL, channel_id TEXT NOT NULL,
  create_at INTEGER NOT NULL, update_at INTEGER NOT NULL, PRIMARY KEY (post_id, user_id, emoji_name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thread_members (
  post_id TEXT NOT NULL, user_id TEXT NOT NULL, following INTEGER NOT NULL, last_viewed_at INTEGER NOT NULL,
  last_update_at INTEGER NOT NULL, unread_mentions INTEGER NOT NULL, PRIMARY KEY (post_id, user_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS thread_members_by_user ON thread_members (user_id, following);

CREATE TABLE IF NOT EXISTS preferences (
  user_id TEXT NOT NULL, category TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (user_id, category, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS categories (
  id TEXT PRIMARY KEY, user_id TEXT NOT NULL, team_id TEXT NOT NULL, sort_order INTEGER NOT NULL, sorting TEXT NOT NULL,
  type TEXT NOT NULL, display_name TEXT NOT NULL, muted INTEGER NOT NULL DEFAULT 0, collapsed INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS categories_by_user ON categories (user_id, team_id);
CREATE TABLE IF NOT EXISTS category_channels (
  category_id TEXT NOT NULL, channel_id TEXT NOT NULL, sort_order INTEGER NOT NULL, PRIMARY KEY (category_id, channel_id)
) WITHOUT ROWID;
`;

/** The part of a list to read. */
export type Page = { limit: number; offset: number };
