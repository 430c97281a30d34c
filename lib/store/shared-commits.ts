import { setImmediate } from "node:timers";
import type Database from "libsql";

/** A write that waits for the next commit. */
type Write = { isLasting: boolean; run(): void; succeed(): void; fail(fault: unknown): void };

/** Runs the reads and writes of one database. Writes in one turn of the event loop share a commit. */
export type SharedCommits = {
  /**
   * Runs a write at the end of this turn. Resolves once the disk has it, or the system for one that need not outlast a
   * power cut. A failing write undoes no other.
   */
  write<T>(work: () => T, given?: { isLasting: boolean }): Promise<T>;
  /** Runs a read: at once, or after the writes that wait, so that callers read what they have written. */
  read<T>(work: () => T): Promise<T>;
  /** Runs the writes that wait. */
  flush(): void;
};

/**
 * Creates the commits of a database. One commit stops the process until the disk has it, and every payment needs several,
 * so payments at the same time would wait for each other. A commit is never on the disk without those before it, so
 * nothing outlasts the lease under which it was written.
 */
export function createSharedCommits(database: Database.Database): SharedCommits {
  let waiting: Write[] = [];

  /** Runs the writes in one transaction, or each in its own if that fails. */
  const commit = (writes: readonly Write[]): void => {
    const isLasting = writes.some((write) => write.isLasting);
    let hasBegun = false;
    try {
      // After `close`, the driver would use the closed file or end the process.
      if (!database.open) throw new Error("closed");
      if (!isLasting) database.exec("PRAGMA synchronous = NORMAL");
      database.exec("BEGIN IMMEDIATE");
      hasBegun = true;
      for (const write of writes) write.run();
      database.exec("COMMIT");
    } catch (fault) {
      if (hasBegun && database.inTransaction) database.exec("ROLLBACK");
      // A value that SQLite refuses, or one too large for the disk, fails alone.
      if (hasBegun && writes.length > 1) for (const write of writes) commit([write]);
      else for (const write of writes) write.fail(fault);
      return;
    } finally {
      if (!isLasting && database.open) database.exec("PRAGMA synchronous = FULL");
    }
    for (const write of writes) write.succeed();
  };

  const flush = (): void => {
    const writes = waiting;
    waiting = [];
    if (writes.length === 0) return;
    try {
      commit(writes);
    } catch (fault) {
      // The transaction could not be undone. Writes that have already succeeded are not affected.
      for (const write of writes) write.fail(fault);
    }
  };

  const write = <T>(work: () => T, { isLasting } = { isLasting: true }) =>
    new Promise<T>((resolve, reject) => {
      let answer: T;
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({
        isLasting,
        run: () => {
          answer = work();
        },
        succeed: () => resolve(answer),
        fail: reject,
      });
    });

  return {
    write,
    async read(work) {
      if (waiting.length > 0) return write(work, { isLasting: false });
      if (!database.open) throw new Error("closed");
      return work();
    },
    flush,
  };
}
