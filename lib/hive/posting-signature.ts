import type { Authority } from "./authority.ts";
import type { AuthorityCache } from "./authority-cache.ts";
import { encodePublicKey } from "./public-key.ts";
import { parseSignature } from "./transaction.ts";

/**
 * Half of the curve's order. Of a signature and its malleated form, exactly one has an s no greater than
 * this.
 */
const HALF_ORDER = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

export type PostingSignature =
  | { isValid: true; key: string }
  | { isValid: false; reason: "signature_malformed" | "account_unknown" | "key_not_posting" };

/**
 * The dependencies of a check: the authorities, and a function that recovers the 33 bytes of a key, or
 * returns `null`.
 */
type Parts = {
  authorities: AuthorityCache;
  recover: (digest: Uint8Array, signature: Uint8Array) => Uint8Array | null;
};

/**
 * Checks a signature (130 hex digits) over the digest. It is valid if its key alone satisfies the account's
 * current posting authority; keys of other roles and accounts do not count. Returns the key, or the reason
 * for the refusal. If a cached authority refuses, the chain is asked again first. Rejects with the errors of
 * `authorities`.
 */
export async function checkSignature(
  { authorities, recover }: Parts,
  account: string,
  digest: Uint8Array,
  signature: string,
): Promise<PostingSignature> {
  const bytes = parseSignature(signature);
  const isLowS = signature.slice(66) <= HALF_ORDER;
  const recovered = bytes && isLowS && isCompressedForm(bytes) ? recover(digest, bytes) : null;
  if (!recovered) return { isValid: false, reason: "signature_malformed" };
  const key = encodePublicKey(recovered);

  const { authority, isFresh } = await authorities.read(account);
  if (isEnough(authority, key)) return { isValid: true, key };
  const now = isFresh ? authority : (await authorities.reread(account)).authority;
  if (isEnough(now, key)) return { isValid: true, key };
  return { isValid: false, reason: now ? "key_not_posting" : "account_unknown" };
}

/** Returns true if the key alone satisfies the authority. No key satisfies an open one (threshold 0). */
export function isEnough(authority: Authority | null, key: string): boolean {
  if (!authority || authority.weight_threshold <= 0) return false;
  return authority.key_auths.some(([text, weight]) => text === key && weight >= authority.weight_threshold);
}

const isCompressedForm = (signature: Uint8Array) => {
  const first = signature[0] ?? 0;
  return first >= 31 && first <= 34;
};
