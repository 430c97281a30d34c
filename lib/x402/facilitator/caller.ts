import { createHash, randomUUID } from "node:crypto";

const MAX_MARKS = 10_000;

export type SettleOptions = {
  /** Who repeats a request with this key gets the answer that was given to it. */
  idempotencyKey?: string;
  /** Aborted when the caller went away: a success that nobody hears of stays there for the next caller. */
  signal?: AbortSignal;
};

/** `mark` is the same for all requests with one key, and never the same for two without. */
export type Caller = { mark: string; isKeyed: boolean; isGone: () => boolean };

/** Tells callers apart by their keys. */
export function callerOf({ idempotencyKey, signal }: SettleOptions): Caller {
  const isGone = () => signal?.aborted === true;
  return idempotencyKey === undefined
    ? { mark: randomUUID(), isKeyed: false, isGone }
    : { mark: createHash("sha256").update(idempotencyKey).digest("hex"), isKeyed: true, isGone };
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
