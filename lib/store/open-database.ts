import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import Database from "libsql";

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** Suffixes of the files that SQLite creates next to its own, with the same mode. */
const companions = ["", "-wal", "-shm", "-journal"];

/**
 * Opens the SQLite file `name` in `folder`, creating both if missing. Only the owner can enter the folder (0700) and
 * read the files (0600), even if others could before.
 * @throws the error of the file system, or of SQLite
 */
export function openDatabase(folder: string, name: string): Database.Database {
  createFolder(folder);
  const path = join(folder, name);
  createFile(path);
  for (const companion of companions) keepPrivate(path + companion);
  return new Database(path);
}

/**
 * Creates a folder and its missing parents, for their owner only. Node's recursive `mkdir` never returns
 * if a folder cannot be created in an existing one, as in /proc.
 * @throws the error of the file system
 */
export function createFolder(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  createFolder(dirname(path));
  unless("EEXIST", () => mkdirSync(path, OWNER_ONLY_FOLDER));
}

/**
 * Creates a file if it is missing. Never opens an existing one, because closing it would end SQLite's locks
 * in this process.
 */
function createFile(path: string): void {
  unless("EEXIST", () => closeSync(openSync(path, "wx", OWNER_ONLY_FILE)));
}

/** Sets the mode, except for a shared file that another user owns. */
function keepPrivate(path: string): void {
  if (existsSync(path)) unless("EPERM", () => unless("ENOENT", () => chmodSync(path, OWNER_ONLY_FILE)));
}

function unless(code: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  }
}

/** `boot` is null if an earlier version wrote the row. */
type Row = { offset_ms: number; seen_ms: number; boot: string | null };

/** The machine's clock since its boot, shared by all processes and independent of the date. */
const uptime = () => Number(process.hrtime.bigint()) / 1e6;

/** Milliseconds for expiry. `note` stores the clock's progress. */
export type StoreClock = { now(): number; note(): void };

/**
 * Creates the clock of a file that outlives its processes: the machine's monotonic clock and an offset stored
 * in the file. A step of the wall clock moves no expiry. The date counts only after a reboot or on another
 * machine, and never sets the clock back.
 */
export function createStoreClock(
  database: Database.Database,
  monotonic: () => number = uptime,
  boot: string = bootId(),
): StoreClock {
  database.exec(
    "CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), offset_ms REAL NOT NULL, seen_ms REAL NOT NULL)",
  );
  addBoot(database);
  const read = database.prepare("SELECT offset_ms, seen_ms, boot FROM clock WHERE id = 1");
  const write = database.prepare(
    "INSERT INTO clock (id, offset_ms, seen_ms, boot) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET offset_ms = excluded.offset_ms, seen_ms = excluded.seen_ms, boot = excluded.boot",
  );

  const openOffset = () => {
    const row = read.get() as Row | undefined;
    const sinceStart = monotonic();
    if (row && row.boot === boot && sinceStart >= row.seen_ms) return row.offset_ms;
    const reached = row ? row.offset_ms + row.seen_ms : 0;
    const offset = Math.max(Date.now(), reached) - sinceStart;
    write.run(offset, sinceStart, boot);
    return offset;
  };

  database.exec("BEGIN IMMEDIATE");
  let offsetMs: number;
  try {
    offsetMs = openOffset();
    database.exec("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
  return {
    now: () => offsetMs + monotonic(),
    note: () => void write.run(offsetMs, monotonic(), boot),
  };
}

/** Adds the column that files of earlier versions lack. Another process may be doing the same. */
function addBoot(database: Database.Database): void {
  const has = () =>
    (database.pragma("table_info(clock)") as Array<{ name: string }>).some(({ name }) => name === "boot");
  if (has()) return;
  try {
    database.exec("ALTER TABLE clock ADD COLUMN boot TEXT");
  } catch (error) {
    if (!has()) throw error;
  }
}

const MINUTE_MS = 60_000;

/** The identity of the current boot, from which the machine's clock counts. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // On systems other than Linux, the minute of the boot identifies it.
    const startedMs = Date.now() - Number(process.hrtime.bigint()) / 1e6;
    return `minute ${Math.round(startedMs / MINUTE_MS)}`;
  }
}
