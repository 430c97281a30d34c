import type Database from "libsql";
import { createStoreClock, openDatabase, type StoreClock } from "./open-database.ts";
import { createSharedCommits, type Life } from "./shared-commits.ts";
import { type Change, type Store, storeFailure } from "./store.ts";

const schema = `
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS scores (name TEXT, member TEXT, score REAL NOT NULL, PRIMARY KEY (name, member)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS scores_in_order ON scores (name, score);
`;

const FOREVER = null;
const SWEEP_EVERY_MS = 60_000;
const LOCK_WAIT_MS = 5000;
const LOCK_RETRY_MS = 10;
/**
 * The longest life of an entry that need not outlast a power cut. Entries this short are leases, whose holders are gone
 * after one.
 */
const FLEETING_SECONDS = 5;
/** Sorts after every character of a key. */
const LAST_CHARACTER = "\u{10FFFF}";

/**
 * Opens a store in one SQLite file. `now` is a monotonic clock in ms that its processes share (default: the machine's),
 * and `boot` identifies its start (default: the machine's start).
 */
export function openSqliteStore(
  dataDir: string,
  { now: monotonic, boot }: { now?: () => number; boot?: string } = {},
): Store {
  const database = openDatabase(dataDir, "hivegate.sqlite");
  let clock: StoreClock;
  try {
    database.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS};`);
    switchToWal(database);
    database.exec(schema);
    // SQLite opens a read-only file too, to which this connection could never write.
    database.exec("BEGIN IMMEDIATE; ROLLBACK;");
    clock = createStoreClock(database, monotonic, boot);
  } catch (error) {
    database.close();
    throw error;
  }
  const { now, note } = clock;

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
  const place = database.prepare(
    "INSERT INTO scores (name, member, score) VALUES (?, ?, ?) ON CONFLICT (name, member) DO UPDATE SET score = excluded.score",
  );
  const displace = database.prepare("DELETE FROM scores WHERE name = ? AND member = ?");
  const lowest = database.prepare(
    "SELECT member FROM scores WHERE name = ? AND score <= ? ORDER BY score LIMIT ?",
  );

  const read = (key: string) => (select.get(key, now()) as { value: string } | undefined)?.value ?? null;

  const expiry = (ttlSeconds: number | undefined) =>
    ttlSeconds === undefined ? FOREVER : Math.round(now() + ttlSeconds * 1000);
  const lifeOf = (ttlSeconds: number | undefined): Life =>
    ttlSeconds !== undefined && ttlSeconds <= FLEETING_SECONDS ? "fleeting" : "lasting";

  const carryOut = ({ set = [], delete: deleted = [], scores = [] }: Change) => {
    for (const [key, value, ttlSeconds] of set) upsert.run(key, value, expiry(ttlSeconds));
    for (const key of deleted) remove.run(key, now());
    for (const [name, member, score] of scores) {
      if (score === null) displace.run(name, member);
      else place.run(name, member, score);
    }
  };

  const commits = createSharedCommits(database);
  const sweeper = setInterval(() => {
    const swept = commits.write(() => {
      sweep.run(now());
      note();
    });
    swept.catch(() => {
      // The disk is full or the lock is held: expired entries are invisible anyway, and the next round tries
      // again.
    });
  }, SWEEP_EVERY_MS);
  sweeper.unref();

  const guarded = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (fault) {
      throw storeFailure(fault);
    }
  };
  const reading = <T>(work: () => T) => guarded(commits.read(work));
  const writing = <T>(work: () => T, life?: Life) => guarded(commits.write(work, life));

  return {
    get: (key) => reading(() => read(key)),
    set: (key, value, ttlSeconds) =>
      writing(() => {
        upsert.run(key, value, expiry(ttlSeconds));
      }),
    setIfAbsent: (key, value, ttlSeconds) =>
      writing(() => insert.run(key, value, expiry(ttlSeconds), now()).changes === 1, lifeOf(ttlSeconds)),
    commit: (change) =>
      writing(() => {
        const isExpected = change.expect.every(([key, value]) => read(key) === value);
        if (isExpected) carryOut(change);
        return isExpected;
      }),
    range: (set, upTo, limit) =>
      reading(() => (lowest.all(set, upTo, limit) as Array<{ member: string }>).map(({ member }) => member)),
    replace: (key, expected, value, ttlSeconds) =>
      writing(
        () => update.run(value, expiry(ttlSeconds), key, expected, now()).changes === 1,
        // A lost renewal only ends a lease sooner, but another value must not be lost.
        expected === value ? lifeOf(ttlSeconds) : "lasting",
      ),
    delete: (key) => writing(() => remove.run(key, now()).changes === 1),
    deleteIf: (key, expected) => writing(() => removeIf.run(key, expected, now()).changes === 1),
    list: (prefix, limit) =>
      reading(
        () =>
          range.all(prefix, prefix + LAST_CHARACTER, now(), limit) as Array<{ key: string; value: string }>,
      ),
    ping: () =>
      writing(() => {
        upsert.run("ping", "", expiry(60));
      }),
    async close() {
      clearInterval(sweeper);
      commits.flush();
      database.close();
    },
  };
}

/**
 * Switches a new file to a write-ahead log. While another process does the same, SQLite refuses at once, whatever its
 * `busy_timeout`.
 */
function switchToWal(database: Database.Database): void {
  const endsAtMs = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL;");
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== "SQLITE_BUSY" || performance.now() >= endsAtMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS);
    }
  }
}
