import type { Authority } from "./authority.ts";
import type { AuthorityCache } from "./authority-cache.ts";
import { encodePublicKey } from "./public-key.ts";
import { recoverPublicKey } from "./recover-key.ts";
import { parseSignature } from "./signature.ts";

/** Half of the curve's order: of a signature and its twin, one has an s up to here. */
const HALF_ORDER = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

export type PostingSignature =
  | { isValid: true; key: string }
  | { isValid: false; reason: "signature_malformed" | "account_unknown" | "key_not_posting" };

/**
 * Returns whether one key that is by itself enough for the account's current posting authority made the signature
 * (130 hex digits) over the digest. Keys of other roles and of other accounts do not do. Before a refusal on a
 * remembered authority the chain is asked again. Rejects with what the chain client throws.
 */
export async function checkPostingSignature(
  authorities: AuthorityCache,
  account: string,
  digest: Uint8Array,
  signature: string,
): Promise<PostingSignature> {
  const bytes = parseSignature(signature);
  const isLowS = signature.slice(66) <= HALF_ORDER;
  const recovered = bytes && isLowS && isCompressedForm(bytes) ? recoverPublicKey(digest, bytes) : null;
  if (!recovered) return { isValid: false, reason: "signature_malformed" };
  const key = encodePublicKey(recovered);

  const { authority, isFresh } = await authorities.read(account);
  if (isEnough(authority, key)) return { isValid: true, key };
  const now = isFresh ? authority : (await authorities.reread(account)).authority;
  if (isEnough(now, key)) return { isValid: true, key };
  return { isValid: false, reason: now ? "key_not_posting" : "account_unknown" };
}

/** Returns whether that key alone satisfies the authority; an open authority (threshold 0) is satisfied by no key. */
export function isEnough(authority: Authority | null, key: string): boolean {
  if (!authority || authority.weight_threshold <= 0) return false;
  return authority.key_auths.some(([text, weight]) => text === key && weight >= authority.weight_threshold);
}

const isCompressedForm = (signature: Uint8Array) => {
  const first = signature[0] ?? 0;
  return first >= 31 && first <= 34;
};
