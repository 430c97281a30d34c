import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import type { Store } from "./store.ts";
import { storeFailure } from "./store-failure.ts";

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
`;

const FOREVER = null;
const SWEEP_EVERY_MS = 60_000;
const LOCK_WAIT_MS = 5000;
/** Sorts behind every character that a key can hold. */
const LAST_CHARACTER = "\u{10FFFF}";

/** A store in one SQLite file (`hivegate.sqlite` in `dataDir`), safe for several processes of one machine. */
export function createSqliteStore(options: { dataDir: string; now?: () => number }): Store {
  const now = options.now ?? Date.now;
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const database = new Database(join(options.dataDir, "hivegate.sqlite"));
  database.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS};`);
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
    "SELECT key, value FROM entries WHERE key >= ? AND key < ? AND (expires_at IS NULL OR expires_at > ?) LIMIT ?",
  );
  const sweep = database.prepare("DELETE FROM entries WHERE expires_at <= ?");

  const expiry = (ttlSeconds: number | undefined) =>
    ttlSeconds === undefined ? FOREVER : Math.round(now() + ttlSeconds * 1000);
  const add = (key: string, value: string, ttlSeconds: number | undefined) =>
    insert.run(key, value, expiry(ttlSeconds), now()).changes === 1;

  const sweeper = setInterval(() => {
    try {
      sweep.run(now());
    } catch {
      // A full disk or a held lock: what expired is invisible anyway, and the next round tries again.
    }
  }, SWEEP_EVERY_MS);
  sweeper.unref();

  const guarded = async <T>(work: () => T): Promise<T> => {
    try {
      // The driver itself goes on with a closed file, or ends the process.
      if (!database.open) throw new Error("closed");
      return work();
    } catch (fault) {
      throw storeFailure(fault);
    }
  };

  return {
    get: (key) => guarded(() => (select.get(key, now()) as { value: string } | undefined)?.value ?? null),
    set: (key, value, ttlSeconds) =>
      guarded(() => {
        upsert.run(key, value, expiry(ttlSeconds));
      }),
    setIfAbsent: (key, value, ttlSeconds) => guarded(() => add(key, value, ttlSeconds)),
    setAllIfAbsent: (entries, ttlSeconds) =>
      guarded(() => {
        database.exec("BEGIN IMMEDIATE");
        try {
          const isSet = entries.every(([key, value]) => add(key, value, ttlSeconds));
          database.exec(isSet ? "COMMIT" : "ROLLBACK");
          return isSet;
        } catch (error) {
          if (database.inTransaction) database.exec("ROLLBACK");
          throw error;
        }
      }),
    replace: (key, expected, value, ttlSeconds) =>
      guarded(() => update.run(value, expiry(ttlSeconds), key, expected, now()).changes === 1),
    delete: (key) => guarded(() => remove.run(key, now()).changes === 1),
    deleteIf: (key, expected) => guarded(() => removeIf.run(key, expected, now()).changes === 1),
    list: (prefix, limit) =>
      guarded(
        () =>
          range.all(prefix, prefix + LAST_CHARACTER, now(), limit) as Array<{ key: string; value: string }>,
      ),
    ping: () =>
      guarded(() => {
        upsert.run("ping", "", expiry(60));
      }),
    async close() {
      clearInterval(sweeper);
      database.close();
    },
  };
}
