import { CodedError } from "../errors.ts";

/** An atomic change of several keys and sorted sets. */
export type Change = {
  /** The required current values; null means no entry. */
  expect: ReadonlyArray<readonly [key: string, value: string | null]>;
  /** Entries to set, without expiry if no time to live is given. */
  set?: ReadonlyArray<readonly [key: string, value: string, ttlSeconds?: number]>;
  delete?: readonly string[];
  /** Scores in sorted sets; null removes the member. */
  scores?: ReadonlyArray<readonly [set: string, member: string, score: number | null]>;
};

/**
 * A key-value store with expiry. Every method is atomic, across all processes on the store: reservations of
 * payments, locks and claims rely on this alone. Values are texts without U+0000 (JSON for structures). Times
 * to live are in seconds; an entry without one never expires. An unreachable store, or one that cannot write,
 * rejects with `degraded`. In that case, a write might still have happened. A write that no one awaits may be lost
 * when the process exits.
 */
export interface Store {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ttlSeconds?: number): Promise<void>;
  /** Sets the key unless it exists. Returns true if it was set. */
  setIfAbsent(key: string, value: string, ttlSeconds?: number): Promise<boolean>;
  /** Replaces the value, with a new time to live, only if it equals `expected`. Returns true if it did. */
  replace(key: string, expected: string, value: string, ttlSeconds?: number): Promise<boolean>;
  /** Removes the key. Returns true if it existed. */
  delete(key: string): Promise<boolean>;
  /** Removes the key only if its value equals `expected`. Returns true if it did. */
  deleteIf(key: string, expected: string): Promise<boolean>;
  /** Applies the whole change, or nothing if an expectation fails. Returns true if it was applied. */
  commit(change: Change): Promise<boolean>;
  /** Returns up to `limit` members of a sorted set with scores up to `upTo`, lowest first. */
  range(set: string, upTo: number, limit: number): Promise<string[]>;
  /** Returns up to `limit` live entries whose key starts with `prefix`, in any order. In Redis this walks all keys. */
  list(prefix: string, limit: number): Promise<Array<{ key: string; value: string }>>;
  /** Resolves if the store accepts writes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the error of a store that cannot be opened, reached or written to: 503 `degraded` with `Retry-After`.
 * It contains only the fault's name and code, because Redis clients put whole commands into their messages.
 */
export function storeFailure(fault: unknown): CodedError {
  if (fault instanceof CodedError) return fault;
  const { name, code } = fault as { name?: unknown; code?: unknown };
  const cause = new Error(`store: ${String(name ?? "Error")}${code === undefined ? "" : ` ${String(code)}`}`);
  return new CodedError("degraded", { cause });
}
