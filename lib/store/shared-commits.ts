import { setImmediate } from "node:timers";
import type Database from "libsql";

/** The most steps of one transaction, during which the process does nothing else and no other can write. */
const MOST_TOGETHER = 1000;

/** The life of a write: a `lasting` one outlasts a power cut, a `fleeting` one the end of this process. */
export type Life = "lasting" | "fleeting";

/** A read or write that waits for the next transaction. */
type Step = { life: Life | "read"; run(): void; succeed(): void; fail(fault: unknown): void };

/** Runs the reads and writes of one database. Writes in one turn of the event loop share a commit. */
export type SharedCommits = {
  /**
   * Runs a write at the end of this turn. Resolves once it is on the disk or, if it is `fleeting`, once the operating
   * system has it. Rejects if any write of the same turn fails.
   */
  write<T>(work: () => T, life?: Life): Promise<T>;
  /** Runs a read: at once, or after the writes that wait, so that callers read what they have written. */
  read<T>(work: () => T): Promise<T>;
  /** Runs all steps that wait. */
  flush(): void;
};

/**
 * Creates the commits of a database. One commit stops the process until the disk has it, and every payment needs several,
 * so payments at the same time would wait for each other. A commit is never on the disk without those before it, so
 * nothing outlasts the lease under which it was written.
 */
export function createSharedCommits(database: Database.Database): SharedCommits {
  const waiting: Step[] = [];
  let isFlushed: boolean | undefined;

  /** Sets whether commits wait for the disk. */
  const waitForDisk = (isWanted: boolean): void => {
    if (isWanted === isFlushed) return;
    isFlushed = undefined;
    database.exec(`PRAGMA synchronous = ${isWanted ? "FULL" : "NORMAL"}`);
    isFlushed = isWanted;
  };

  /** Fails the writes. Reads need no transaction, so a lock of another process does not stop them. */
  const giveUp = (steps: readonly Step[], fault: unknown): void => {
    for (const { life, run, succeed, fail } of steps) {
      try {
        if (life !== "read" || !database.open || database.inTransaction) throw fault;
        run();
      } catch (own) {
        fail(own);
        continue;
      }
      succeed();
    }
  };

  const commit = (steps: readonly Step[]): void => {
    try {
      // After `close`, the driver would use the closed file or end the process.
      if (!database.open) throw new Error("closed");
      undo();
      waitForDisk(steps.some(({ life }) => life === "lasting"));
      database.exec("BEGIN IMMEDIATE");
      for (const { run } of steps) run();
      database.exec("COMMIT");
    } catch (fault) {
      try {
        undo();
      } catch {
        // The next transaction tries again.
      }
      giveUp(steps, fault);
      return;
    }
    for (const { succeed } of steps) succeed();
  };

  const undo = (): void => {
    if (database.open && database.inTransaction) database.exec("ROLLBACK");
  };

  const commitNext = (): void => {
    const steps = waiting.splice(0, MOST_TOGETHER);
    if (waiting.length > 0) setImmediate(commitNext);
    if (steps.length > 0) commit(steps);
  };

  const enqueue = <T>(work: () => T, life: Step["life"]) =>
    new Promise<T>((resolve, reject) => {
      let answer: T;
      if (waiting.length === 0) setImmediate(commitNext);
      waiting.push({
        life,
        run: () => {
          answer = work();
        },
        succeed: () => resolve(answer),
        fail: reject,
      });
    });

  return {
    write: (work, life = "lasting") => enqueue(work, life),
    async read(work) {
      if (!database.open) throw new Error("closed");
      // An open transaction is one that could not be undone.
      return waiting.length > 0 || database.inTransaction ? enqueue(work, "read") : work();
    },
    flush() {
      while (waiting.length > 0) commitNext();
    },
  };
}
