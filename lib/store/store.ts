import { CodedError } from "../errors.ts";

/** A change of several keys and sorted sets that is one step. */
export type Change = {
  /** The values that must be there; null means no entry. */
  expect: ReadonlyArray<readonly [key: string, value: string | null]>;
  /** Written without a time to live. */
  set?: ReadonlyArray<readonly [key: string, value: string]>;
  delete?: readonly string[];
  /** Places in sorted sets; null takes the member out. */
  scores?: ReadonlyArray<readonly [set: string, member: string, score: number | null]>;
};

/**
 * A key-value store with expiry. Every method is atomic, also between processes that share the store:
 * reservations of payments, locks and claims are built on nothing else.
 * Values are texts without U+0000 (JSON where there is structure); times to live are seconds, none means for ever.
 * A store that can't be reached or can't write rejects with `degraded`; whether the write took place is then open.
 */
export interface Store {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ttlSeconds?: number): Promise<void>;
  /** Sets the key unless it is there; returns whether it was set. */
  setIfAbsent(key: string, value: string, ttlSeconds?: number): Promise<boolean>;
  /** Replaces the value only while it equals `expected`, with a new time to live; returns whether it did. */
  replace(key: string, expected: string, value: string, ttlSeconds?: number): Promise<boolean>;
  /** Removes the key; returns whether it was there. */
  delete(key: string): Promise<boolean>;
  /** Removes the key only while its value equals `expected`; returns whether it did. */
  deleteIf(key: string, expected: string): Promise<boolean>;
  /** Does the whole change, or nothing of it when one expectation is not met; returns whether it was done. */
  commit(change: Change): Promise<boolean>;
  /** The members of a sorted set with scores up to `upTo`, lowest first, at most `limit`. */
  range(set: string, upTo: number, limit: number): Promise<string[]>;
  /** The live entries whose key begins with `prefix`, at most `limit`, in no order. In Redis this walks through all keys. */
  list(prefix: string, limit: number): Promise<Array<{ key: string; value: string }>>;
  /** Resolves when the store takes writes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The error of a store that can't be opened, reached or written to: 503 `degraded` with `Retry-After`.
 * Only the fault's name and code are kept, because clients of Redis put whole commands into their messages.
 */
export function storeFailure(fault: unknown): CodedError {
  if (fault instanceof CodedError) return fault;
  const { name, code } = fault as { name?: unknown; code?: unknown };
  const cause = new Error(`store: ${String(name ?? "Error")}${code === undefined ? "" : ` ${String(code)}`}`);
  return new CodedError("degraded", { cause });
}
