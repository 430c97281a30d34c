import type { Store } from "../../store/store.ts";

/**
 * A chat token that a gateway created for a sign-in that is no longer known: by an earlier version, or before
 * the store was lost.
 */
export type UnlistedToken = { account: string; userId: string; tokenId: string; madeAtMs: number };

export type UnlistedTokens = {
  list(): Promise<UnlistedToken[]>;
  add(tokens: readonly UnlistedToken[]): Promise<void>;
  forget(tokens: readonly UnlistedToken[]): Promise<void>;
};

/** The key of a sorted set. */
const UNLISTED = "unlisted-tokens";
const MOST_TOKENS = 100_000;

const memberOf = ({ account, userId, tokenId, madeAtMs }: UnlistedToken) =>
  [account, userId, tokenId, madeAtMs].join(" ");

function tokenOf(member: string): UnlistedToken {
  const [account = "", userId = "", tokenId = "", madeAt = ""] = member.split(" ");
  return { account, userId, tokenId, madeAtMs: Number(madeAt) };
}

/** Creates the access to the unlisted tokens in the store, which its processes share. */
export function createUnlistedTokens(store: Pick<Store, "commit" | "range">): UnlistedTokens {
  const score = async (tokens: readonly UnlistedToken[], to: 0 | null) => {
    if (tokens.length === 0) return;
    await store.commit({ expect: [], scores: tokens.map((token) => [UNLISTED, memberOf(token), to]) });
  };
  return {
    list: async () => (await store.range(UNLISTED, 0, MOST_TOKENS)).map(tokenOf),
    add: (tokens) => score(tokens, 0),
    forget: (tokens) => score(tokens, null),
  };
}
