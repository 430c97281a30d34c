import { randomUUID } from "node:crypto";
import type { Store } from "../../store/store.ts";
import { changeList, readList } from "../../store/stored-list.ts";

const KEY = "logouts";
const TOLD_FOR_MS = 600_000;
const MOST_TOLD = 500;
/** More than the list holds, as the processes write to it in another order than this one notes. */
const MOST_DONE = 2 * MOST_TOLD;

type Logout = { atMs: number; userId: string };

/** The logouts that the processes on a store tell each other. */
export type Logouts = {
  /** Tells every other process that the user logged out. */
  announce(userId: string, nowMs?: number): Promise<void>;
  /** The ids of users who logged out at other processes after `sinceMs`, each logout once. */
  take(sinceMs: number, nowMs?: number): Promise<string[]>;
};

/** `done` holds the marks (`<ms>:<user id>:<random>`) that this process made or took, which it does not take again. */
export function createLogouts(store: Store, done = new Set<string>()): Logouts {
  /** Forgets the marks that nobody is told any more, and the oldest of too many. */
  const noteDone = (marks: readonly string[], nowMs: number) => {
    for (const mark of marks) done.add(mark);
    const isStillTold = isTold(nowMs);
    for (const mark of done) if (done.size > MOST_DONE || !isStillTold(mark)) done.delete(mark);
  };
  return {
    async announce(userId, nowMs = Date.now()) {
      const mark = `${nowMs}:${userId}:${randomUUID()}`;
      noteDone([mark], nowMs);
      await changeList(store, KEY, (marks) => [...marks.filter(isTold(nowMs)), mark].slice(-MOST_TOLD));
    },
    async take(sinceMs, nowMs = Date.now()) {
      const marks = (await readList(store, KEY)).filter(isTold(nowMs));
      const fresh = marks.filter((mark) => !done.has(mark) && parse(mark).atMs > sinceMs);
      noteDone(fresh, nowMs);
      return fresh.map((mark) => parse(mark).userId);
    },
  };
}

const isTold = (nowMs: number) => (mark: string) => parse(mark).atMs > nowMs - TOLD_FOR_MS;

function parse(mark: string): Logout {
  const [atMs, userId = ""] = mark.split(":");
  return { atMs: Number(atMs), userId };
}
