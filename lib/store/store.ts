/**
 * A key-value store with expiry. Every method is atomic, also between processes that share the store:
 * reservations of payments, locks and claims are built on nothing else.
 * Values are texts without U+0000 (JSON where there is structure); times to live are seconds, none means for ever.
 * A store that can't be reached or can't write rejects with `overloaded`; whether the write took place is then open.
 */
export interface Store {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ttlSeconds?: number): Promise<void>;
  /** Sets the key unless it is there; tells whether it was set. */
  setIfAbsent(key: string, value: string, ttlSeconds?: number): Promise<boolean>;
  /** Sets all keys unless one of them is there; tells whether they were set. */
  setAllIfAbsent(
    entries: ReadonlyArray<readonly [key: string, value: string]>,
    ttlSeconds?: number,
  ): Promise<boolean>;
  /** Replaces the value only while it equals `expected`, with a new time to live; tells whether it did. */
  replace(key: string, expected: string, value: string, ttlSeconds?: number): Promise<boolean>;
  /** Removes the key; tells whether it was there. */
  delete(key: string): Promise<boolean>;
  /** Removes the key only while its value equals `expected`; tells whether it did. */
  deleteIf(key: string, expected: string): Promise<boolean>;
  /** The live entries whose key begins with `prefix`, at most `limit`, in no order. */
  list(prefix: string, limit: number): Promise<Array<{ key: string; value: string }>>;
  /** Resolves when the store takes writes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
