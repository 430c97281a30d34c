import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import type { Store } from "./store.ts";

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
`;

const FOREVER = null;
const SWEEP_EVERY_MS = 60_000;

/** A store in one SQLite file (`hivegate.sqlite` in `dataDir`), safe for several processes of one machine. */
export function createSqliteStore(options: { dataDir: string; now?: () => number }): Store {
  const now = options.now ?? Date.now;
  mkdirSync(options.dataDir, { recursive: true });
  const database = new Database(join(options.dataDir, "hivegate.sqlite"));
  database.exec(schema);

  const select = database.prepare(
    "SELECT value FROM entries WHERE key = ? AND (expires_at IS NULL OR expires_at > ?)",
  );
  const upsert = database.prepare(
    "INSERT INTO entries (key, value, expires_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at",
  );
  const insert = database.prepare(
    "INSERT INTO entries (key, value, expires_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at WHERE entries.expires_at <= ?",
  );
  const update = database.prepare(
    "UPDATE entries SET value = ?, expires_at = ? WHERE key = ? AND value = ? AND (expires_at IS NULL OR expires_at > ?)",
  );
  const remove = database.prepare(
    "DELETE FROM entries WHERE key = ? AND (expires_at IS NULL OR expires_at > ?)",
  );
  const removeIf = database.prepare(
    "DELETE FROM entries WHERE key = ? AND value = ? AND (expires_at IS NULL OR expires_at > ?)",
  );
  const range = database.prepare(
    "SELECT key, value FROM entries WHERE substr(key, 1, ?) = ? AND key >= ? AND (expires_at IS NULL OR expires_at > ?) LIMIT ?",
  );
  const sweep = database.prepare("DELETE FROM entries WHERE expires_at <= ?");

  const expiry = (ttlSeconds: number | undefined) =>
    ttlSeconds === undefined ? FOREVER : now() + ttlSeconds * 1000;
  const add = (key: string, value: string, ttlSeconds: number | undefined) =>
    insert.run(key, value, expiry(ttlSeconds), now()).changes === 1;

  const sweeper = setInterval(() => sweep.run(now()), SWEEP_EVERY_MS);
  sweeper.unref();

  return {
    async get(key) {
      const row = select.get(key, now()) as { value: string } | undefined;
      return row?.value ?? null;
    },
    async set(key, value, ttlSeconds) {
      upsert.run(key, value, expiry(ttlSeconds));
    },
    async setIfAbsent(key, value, ttlSeconds) {
      return add(key, value, ttlSeconds);
    },
    async setAllIfAbsent(entries, ttlSeconds) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const isSet = entries.every(([key, value]) => add(key, value, ttlSeconds));
        database.exec(isSet ? "COMMIT" : "ROLLBACK");
        return isSet;
      } catch (error) {
        if (database.inTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    async replace(key, expected, value, ttlSeconds) {
      return update.run(value, expiry(ttlSeconds), key, expected, now()).changes === 1;
    },
    async delete(key) {
      return remove.run(key, now()).changes === 1;
    },
    async deleteIf(key, expected) {
      return removeIf.run(key, expected, now()).changes === 1;
    },
    async list(prefix, limit) {
      return range.all(prefix.length, prefix, prefix, now(), limit) as Array<{ key: string; value: string }>;
    },
    async ping() {
      upsert.run("ping", "", expiry(60));
    },
    async close() {
      clearInterval(sweeper);
      database.close();
    },
  };
}
