import type Database from "libsql";

type Row = { offset_ms: number; seen_ms: number };

/** The machine's own clock since its start: the same for all processes, and no change of the date moves it. */
const uptime = () => Number(process.hrtime.bigint()) / 1e6;

/** Milliseconds for times to live. `note` writes down how far the clock has come. */
export type StoreClock = { now(): number; note(): void };

/**
 * Creates the clock of a file that several processes share and that outlives them: the machine's monotonic clock and an
 * offset that the file keeps. A step of the wall clock moves no expiry; the date counts only after a restart of the
 * machine, and never takes the clock back.
 */
export function createStoreClock(database: Database.Database, monotonic: () => number = uptime): StoreClock {
  database.exec(
    "CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), offset_ms REAL NOT NULL, seen_ms REAL NOT NULL)",
  );
  const read = database.prepare("SELECT offset_ms, seen_ms FROM clock WHERE id = 1");
  const write = database.prepare(
    "INSERT INTO clock (id, offset_ms, seen_ms) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET offset_ms = excluded.offset_ms, seen_ms = excluded.seen_ms",
  );

  const openOffset = () => {
    const row = read.get() as Row | undefined;
    const sinceStart = monotonic();
    if (row && sinceStart >= row.seen_ms) return row.offset_ms;
    const reached = row ? row.offset_ms + row.seen_ms : 0;
    const offset = Math.max(Date.now(), reached) - sinceStart;
    write.run(offset, sinceStart);
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
    note: () => void write.run(offsetMs, monotonic()),
  };
}
