import { CHALLENGE_SECONDS } from "../contract/limits.ts";
import { type AccessTokenVerdict, verifyAccessToken } from "../hive/access-token.ts";
import type { AuthorityCache } from "../hive/authority-cache.ts";
import { verifySignInProof } from "../hive/sign-in-proof.ts";

/** A wallet that proves an account by a code of its own instead of a signature of the gateway's text. */
export type CodeIssuer = "hivesigner" | "ecency";

/**
 * Verifies that a code belongs to the account and was signed for this gateway, not long ago. Rejects with the chain client's error.
 */
export type VerifyCode = (issuer: CodeIssuer, code: string, account: string) => Promise<AccessTokenVerdict>;

/** Creates the verifier of codes: HiveSigner's are access tokens, and Ecency's name this site's origin. */
export function createCodeVerifier(options: {
  authorities: AuthorityCache;
  /** The app for which HiveSigner signs, or null. */
  hivesignerApp: string | null;
  publicUrl: string;
  now: () => number;
}): VerifyCode {
  const { authorities, hivesignerApp, now } = options;
  const audience = new URL(options.publicUrl).origin;
  return (issuer, code, account) => {
    const common = { account, authorities, nowMs: now(), maxAgeSeconds: CHALLENGE_SECONDS };
    if (issuer === "ecency") return verifySignInProof(code, { ...common, audience });
    const appIds = hivesignerApp === null ? [] : [hivesignerApp];
    return verifyAccessToken(code, { ...common, appIds });
  };
}
