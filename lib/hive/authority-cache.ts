import type { Authority } from "./authority.ts";

type Entry = { authority: Authority | null; readAt: number };

/** A cached posting authority. `authority` is null if the chain has no such account. */
export type CachedAuthority = { authority: Authority | null; isFresh: boolean };

export type AuthorityCache = {
  /**
   * Returns the account's posting authority, which is up to 30 s old. `isFresh` is true if this call asked the chain.
   */
  read(account: string): Promise<CachedAuthority>;
  /** Returns the account's posting authority as read from the chain now, not from the cache. */
  reread(account: string): Promise<CachedAuthority>;
};

const MAX_ENTRIES = 10_000;
const TTL_MS = 30_000;
/** Shorter than for others, because the owner of a new account soon signs in. */
const MISS_TTL_MS = 3000;

/**
 * Caches posting authorities for 30 s, so that a replaced key soon loses effect, and missing accounts for 3 s. Failures
 * of `load` are not cached. `now` is a monotonic clock in ms.
 */
export function createAuthorityCache(options: {
  load: (account: string) => Promise<Authority | null>;
  now?: () => number;
}): AuthorityCache {
  const now = options.now ?? (() => performance.now());
  const entries = new Map<string, Entry>();
  const loading = new Map<string, Promise<Authority | null>>();

  const load = async (account: string, isAgain: boolean): Promise<CachedAuthority> => {
    // A request that began before the reason to ask again could return an answer as old as the cached one.
    const key = `${isAgain}${account}`;
    let present = loading.get(key);
    if (!present) {
      present = options.load(account).finally(() => loading.delete(key));
      loading.set(key, present);
    }
    const authority = await present;
    entries.delete(account);
    entries.set(account, { authority, readAt: now() });
    for (const oldest of entries.keys()) {
      if (entries.size <= MAX_ENTRIES) break;
      entries.delete(oldest);
    }
    return { authority, isFresh: true };
  };

  return {
    async read(account) {
      const entry = entries.get(account);
      const ttlMs = entry?.authority ? TTL_MS : MISS_TTL_MS;
      if (entry && now() - entry.readAt < ttlMs) return { authority: entry.authority, isFresh: false };
      return load(account, false);
    },
    reread: (account) => load(account, true),
  };
}
