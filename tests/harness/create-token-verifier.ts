import { verifyAccessToken } from "../../lib/hive/access-token.ts";
import type { Authority } from "../../lib/hive/authority.ts";
import { createAuthorityCache } from "../../lib/hive/authority-cache.ts";
import { formAccessToken, postingKey } from "./form-access-token.ts";

/** The time of the verifier's tests, in seconds since 1970. */
export const NOW = 1_800_000_000;
export const WEEK_SECONDS = 604_800;

export const publicText = (account: string) => postingKey(account).createPublic().toString();

/** Returns a posting authority with one key, that of the account's name. */
export const ordinary = (account: string): Authority => ({
  weight_threshold: 1,
  account_auths: [],
  key_auths: [[publicText(account), 1]],
});

/** Forms a token with the time `NOW`. */
export const formNow = (account: string, options: Parameters<typeof formAccessToken>[1] = {}) =>
  formAccessToken(account, { timestamp: NOW, ...options });

/** Creates a verifier with a clock, and with a chain of alice and bob, that the test controls. */
export function createTokenVerifier() {
  const chain = new Map(["alice", "bob"].map((account) => [account, ordinary(account)]));
  const clock = { nowMs: NOW * 1000 };
  const reads: string[] = [];
  const authorities = createAuthorityCache({
    load: async (account) => {
      reads.push(account);
      return chain.get(account) ?? null;
    },
    now: () => clock.nowMs,
  });
  return {
    chain,
    clock,
    /** The accounts that were requested from the chain. */
    reads,
    /** Returns `valid`, or the reason for a refusal. */
    async verify(token: string, account = "alice"): Promise<string> {
      const verdict = await verifyAccessToken(token, {
        account,
        appIds: ["hivegate", "other.app"],
        maxAgeSeconds: WEEK_SECONDS,
        authorities,
        nowMs: clock.nowMs,
      });
      return verdict.isValid ? "valid" : verdict.reason;
    },
  };
}
