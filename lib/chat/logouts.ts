import { randomUUID } from "node:crypto";
import { processWide } from "../process-wide.ts";
import type { Store } from "../store/store.ts";
import { changeList, readList } from "./stored-list.ts";

const KEY = "logouts";
const TOLD_FOR_MS = 600_000;
const MOST_TOLD = 500;

type Logout = { atMs: number; userId: string };

/** Marks (`<ms>:<user id>:<random>`) that this process made or took, which it does not take again. */
const done = () => processWide("logouts-done", () => new Set<string>());

/** Tells every process on the store that the user logged out. */
export async function announceLogout(store: Store, userId: string, nowMs = Date.now()): Promise<void> {
  const mark = `${nowMs}:${userId}:${randomUUID()}`;
  done().add(mark);
  const isRecent = (other: string) => parse(other).atMs > nowMs - TOLD_FOR_MS;
  await changeList(store, KEY, (marks) => [...marks.filter(isRecent), mark].slice(-MOST_TOLD));
}

/** The ids of users who logged out at other processes after `sinceMs`, each logout once. */
export async function takeLogouts(store: Store, sinceMs: number, nowMs = Date.now()): Promise<string[]> {
  const isAfter = (atMs: number) => (mark: string) => parse(mark).atMs > atMs;
  const taken = done();
  const marks = (await readList(store, KEY)).filter(isAfter(nowMs - TOLD_FOR_MS));
  for (const mark of taken) if (!isAfter(nowMs - TOLD_FOR_MS)(mark)) taken.delete(mark);
  const fresh = marks.filter((mark) => !taken.has(mark) && isAfter(sinceMs)(mark));
  for (const mark of fresh) taken.add(mark);
  return fresh.map((mark) => parse(mark).userId);
}

function parse(mark: string): Logout {
  const [atMs, userId = ""] = mark.split(":");
  return { atMs: Number(atMs), userId };
}
