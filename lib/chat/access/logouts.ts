import { randomUUID } from "node:crypto";
import type { Store } from "../../store/store.ts";
import { changeList, readList } from "../../store/stored-list.ts";

const KEY = "logouts";
/** The list ends so long after its last logout, by the store's clock. */
const TOLD_FOR_SECONDS = 600;
const MOST_TOLD = 500;
/** More than the list holds, as the processes write to it in another order than this one notes. */
const MOST_DONE = 2 * MOST_TOLD;

/** The logouts that the processes on a store tell each other. */
export type Logouts = {
  /** Tells every other process that the user logged out. */
  announce(userId: string): Promise<void>;
  /** The ids of users who logged out at other processes since the last look, each logout once. */
  take(): Promise<string[]>;
};

/**
 * `done` holds the marks (`<user id>:<random>`) that this process made or took, which it does not take again. Marks
 * bear no time: the processes' clocks may differ by any amount.
 */
export function createLogouts(store: Store, done = new Set<string>()): Logouts {
  /** Forgets the oldest of too many. */
  const noteDone = (marks: readonly string[]) => {
    for (const mark of marks) done.add(mark);
    for (const mark of done) if (done.size > MOST_DONE) done.delete(mark);
  };
  return {
    async announce(userId) {
      const mark = `${userId}:${randomUUID()}`;
      noteDone([mark]);
      await changeList(store, KEY, (marks) => [...marks, mark].slice(-MOST_TOLD), TOLD_FOR_SECONDS);
    },
    async take() {
      const fresh = (await readList(store, KEY)).filter((mark) => !done.has(mark));
      noteDone(fresh);
      return fresh.map((mark) => mark.slice(0, mark.indexOf(":")));
    },
  };
}
