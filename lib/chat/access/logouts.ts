import { randomUUID } from "node:crypto";
import { processWide } from "../../async/process-wide.ts";
import type { Store } from "../../store/store.ts";
import { changeList, readList } from "../../store/stored-list.ts";

const KEY = "logouts";
const TOLD_FOR_MS = 600_000;
const MOST_TOLD = 500;
/** More than the list holds, as the processes write to it in another order than this one notes. */
const MOST_DONE = 2 * MOST_TOLD;

type Logout = { atMs: number; userId: string };

/** Marks (`<ms>:<user id>:<random>`) that this process made or took, which it does not take again. */
const done = () => processWide("logouts-done", () => new Set<string>());

/** Tells every process on the store that the user logged out. */
export async function announceLogout(store: Store, userId: string, nowMs = Date.now()): Promise<void> {
  const mark = `${nowMs}:${userId}:${randomUUID()}`;
  noteDone([mark], nowMs);
  await changeList(store, KEY, (marks) => [...marks.filter(isTold(nowMs)), mark].slice(-MOST_TOLD));
}

/** The ids of users who logged out at other processes after `sinceMs`, each logout once. */
export async function takeLogouts(store: Store, sinceMs: number, nowMs = Date.now()): Promise<string[]> {
  const marks = (await readList(store, KEY)).filter(isTold(nowMs));
  const fresh = marks.filter((mark) => !done().has(mark) && parse(mark).atMs > sinceMs);
  noteDone(fresh, nowMs);
  return fresh.map((mark) => parse(mark).userId);
}

const isTold = (nowMs: number) => (mark: string) => parse(mark).atMs > nowMs - TOLD_FOR_MS;

/** Forgets the marks that nobody is told any more, and the oldest of too many. */
function noteDone(marks: readonly string[], nowMs: number): void {
  const noted = done();
  for (const mark of marks) noted.add(mark);
  const isStillTold = isTold(nowMs);
  for (const mark of noted) if (noted.size > MOST_DONE || !isStillTold(mark)) noted.delete(mark);
}

function parse(mark: string): Logout {
  const [atMs, userId = ""] = mark.split(":");
  return { atMs: Number(atMs), userId };
}
