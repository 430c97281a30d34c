import { z } from "zod";
import { type AccessTokenVerdict, checkSigned, readSignedToken, TokenContent } from "./access-token.ts";
import type { AuthorityCache } from "./authority-cache.ts";

/** A proof has the form of an access token, but a type that no other server accepts as one, and a fractional time. */
const ProofContent = TokenContent.extend({
  signed_message: z.looseObject({
    type: z.literal("login"),
    app: z.literal("ecency.app"),
    audience: z.string(),
  }),
  timestamp: z.number().positive().max(Number.MAX_SAFE_INTEGER),
});

/**
 * Verifies that a proof of Ecency Mobile is recent, signed by the account's current posting key, and for the origin in
 * `audience`. A code without an audience, which any site could have received, is malformed here. Rejects with the chain
 * client's error.
 */
export async function verifySignInProof(
  proof: string,
  options: {
    account: string;
    /** Such as `https://chat.example.com`. */
    audience: string;
    maxAgeSeconds: number;
    authorities: AuthorityCache;
    nowMs: number;
  },
): Promise<AccessTokenVerdict> {
  const parsed = readSignedToken(proof, ProofContent);
  if (!parsed) return { isValid: false, reason: "malformed" };
  const { authors, signed_message } = parsed.content;
  if (authors[0] !== options.account) return { isValid: false, reason: "wrong_account" };
  if (signed_message.audience !== options.audience) return { isValid: false, reason: "wrong_app" };
  return checkSigned(parsed, options);
}
