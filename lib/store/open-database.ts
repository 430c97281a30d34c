import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import Database from "libsql";

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** What SQLite keeps beside its file; new ones take the file's own mode. */
const companions = ["", "-wal", "-shm", "-journal"];

/**
 * Opens the SQLite file `name` in `folder`, which are created where they are missing: the folder for its owner alone
 * (0700), and the file with all that SQLite keeps beside it readable by its owner alone (0600), also when it was not.
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
 * Creates a folder, and those above it that are missing, for its owner alone. Node's own recursive `mkdir` never returns
 * where a folder can't be created in one that exists, as in /proc.
 * @throws the error of the file system
 */
export function createFolder(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  createFolder(dirname(path));
  unless("EEXIST", () => mkdirSync(path, OWNER_ONLY_FOLDER));
}

/** Opens no file that exists: closing it again would end the locks that SQLite holds on it in this process. */
function createFile(path: string): void {
  unless("EEXIST", () => closeSync(openSync(path, "wx", OWNER_ONLY_FILE)));
}

/** A file of another owner, who shares it, keeps its mode. */
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

/** `boot`: null where an earlier version wrote it. */
type Row = { offset_ms: number; seen_ms: number; boot: string | null };

/** The machine's own clock since its start: the same for all processes, and no change of the date moves it. */
const uptime = () => Number(process.hrtime.bigint()) / 1e6;

/** Milliseconds for times to live. `note` writes down how far the clock has come. */
export type StoreClock = { now(): number; note(): void };

/**
 * Creates the clock of a file that several processes share and that outlives them: the machine's monotonic clock and an
 * offset that the file keeps. A step of the wall clock moves no expiry; the date counts only after a restart of the
 * machine or on another one, and never takes the clock back.
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

/** Files of earlier versions lack the column; another process may add it at the same time. */
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

/** What is the same for all processes since the machine was started, and never again: the machine's clock counts from then. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // No Linux: the minute of the start, as far as the date tells it.
    const startedMs = Date.now() - Number(process.hrtime.bigint()) / 1e6;
    return `minute ${Math.round(startedMs / MINUTE_MS)}`;
  }
}
