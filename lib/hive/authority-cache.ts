import { readAccounts } from "./accounts.ts";
import type { Authority } from "./authority.ts";
import type { HiveClient } from "./client.ts";

type Entry = { authority: Authority | null; readAt: number };

/** What the cache knows of an account's posting authority; `authority` is null when the chain has no such account. */
export type CachedAuthority = { authority: Authority | null; isFresh: boolean };

export type AuthorityCache = {
  /** The posting authority, at most 30 s old; `isFresh` tells that the chain was asked for this very call. */
  read(account: string): Promise<CachedAuthority>;
  /** The posting authority as the chain has it now. */
  reread(account: string): Promise<CachedAuthority>;
};

const MAX_ENTRIES = 10_000;
const TTL_MS = 30_000;
/** Shorter, as who has just made an account signs in with it. */
const MISS_TTL_MS = 3000;

/**
 * Keeps posting authorities for 30 s, since a changed key must end what the old one signed, and for 3 s that there is
 * no such account. Failures of `load` are never kept. `now` is a monotonic clock in ms.
 */
export function createAuthorityCache(options: {
  load: (account: string) => Promise<Authority | null>;
  now?: () => number;
}): AuthorityCache {
  const now = options.now ?? (() => performance.now());
  const entries = new Map<string, Entry>();
  const loading = new Map<string, Promise<Authority | null>>();

  const load = async (account: string, isAgain: boolean): Promise<CachedAuthority> => {
    // What was asked before the reason to ask again came up may be as old as what it is to replace.
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

/**
 * The account's posting authority, null when the chain does not know the account, by the word of two nodes where two are
 * configured: who could name a key alone could take over every account.
 * @throws CodedError `chain_unavailable` when no two say the same
 */
export async function readPostingAuthority(client: HiveClient, account: string): Promise<Authority | null> {
  const [posting] = await client.agree(
    async (node) => (await readAccounts(node, [account])).get(account)?.posting ?? null,
  );
  return posting;
}
