import { createHash, randomUUID } from "node:crypto";
import type { Payment } from "./read-request.ts";

const MAX_MARKS = 10_000;

export type SettleOptions = {
  /** Who repeats the same body with this key gets the answer that was given to it. */
  idempotencyKey?: string;
  /** Aborted when the caller went away: a success that nobody hears of stays there for the next caller. */
  signal?: AbortSignal;
};

/** `mark` is the same for repeats of one body under one key, and never the same for two requests without a key. */
export type Caller = { mark: string; isKeyed: boolean; isGone: () => boolean };

/**
 * Tells callers apart by their keys. A key counts for one payment of one resource: who guesses somebody else's has
 * neither its answer nor its place, and no key has to be remembered.
 */
export function callerOf({ idempotencyKey, signal }: SettleOptions, { transfer, resource }: Payment): Caller {
  const isGone = () => signal?.aborted === true;
  if (idempotencyKey === undefined) return { mark: randomUUID(), isKeyed: false, isGone };
  const subject = JSON.stringify([idempotencyKey, transfer.ids.legacy, resource]);
  return { mark: createHash("sha256").update(subject).digest("hex"), isKeyed: true, isGone };
}

/** Makes a set of marks that forgets the oldest of too many. */
export function createMarks(): Pick<Set<string>, "has" | "add"> {
  const marks = new Set<string>();
  return {
    has: (mark) => marks.has(mark),
    add(mark) {
      const [oldest] = marks;
      if (marks.size >= MAX_MARKS && oldest !== undefined) marks.delete(oldest);
      return marks.add(mark);
    },
  };
}
