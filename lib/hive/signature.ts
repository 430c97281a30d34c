import { createRequire } from "node:module";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import type { Authority } from "./authority.ts";
import type { AuthorityCache } from "./authority-cache.ts";
import { encodePublicKey } from "./public-key.ts";

const LOWEST_FIRST_BYTE = 27;
const HIGHEST_FIRST_BYTE = 34;
const SIGNATURE_BYTES = 65;

/** Recovers the 33 bytes of the key from 64 bytes of signature; throws when there is no such key. */
type Recover = (digest: Uint8Array, compact: Uint8Array, recoveryId: number) => Uint8Array;

type Native = {
  ecdsaRecover(compact: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: true): Uint8Array;
};

function loadNative(): Recover | null {
  try {
    const addon = createRequire(import.meta.url)("secp256k1/bindings.js") as Native;
    return (digest, compact, recoveryId) => addon.ecdsaRecover(compact, recoveryId, digest, true);
  } catch {
    process.emitWarning(
      "No compiled secp256k1 fits this platform: signatures are checked about 20 times slower.",
      {
        code: "HIVEGATE_SLOW_CRYPTO",
      },
    );
    return null;
  }
}

/** Recovery without the binary; exported so that a test holds it against the native one. */
export const recoverInJavascript: Recover = (digest, compact, recoveryId) =>
  secp256k1.Signature.fromCompact(compact)
    .addRecoveryBit(recoveryId)
    .recoverPublicKey(digest)
    .toRawBytes(true);

const nativeRecover = loadNative();
const recover = nativeRecover ?? recoverInJavascript;

/** Which code recovers keys in this process. */
export function cryptoBackend(): "native" | "javascript" {
  return nativeRecover ? "native" : "javascript";
}

/**
 * Recovers the public key (33 bytes) that made `signature` (65 bytes: 27..34, r, s) over `digest` (32 bytes);
 * `null` when there is none. First bytes 27..30 mean the same as 31..34, as on the chain. Whether the chain
 * would take the form of the signature is another question: see `isChainCanonical`.
 */
export function recoverPublicKey(digest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  const first = signature[0] ?? 0;
  if (signature.length !== SIGNATURE_BYTES || first < LOWEST_FIRST_BYTE || first > HIGHEST_FIRST_BYTE)
    return null;
  try {
    return recover(digest, signature.subarray(1), (first - LOWEST_FIRST_BYTE) & 3);
  } catch {
    // r or s out of range, or r names no point of the curve: no key made this signature.
    return null;
  }
}

/** Reads exactly 130 lower-case hex digits into the 65 bytes of a signature; `null` for anything else. */
export function parseSignature(hex130: string): Uint8Array | null {
  if (!/^[0-9a-f]{130}$/.test(hex130)) return null;
  return Uint8Array.from({ length: SIGNATURE_BYTES }, (_, index) =>
    Number.parseInt(hex130.slice(index * 2, index * 2 + 2), 16),
  );
}

/**
 * The chain compares s byte for byte with n/2 as it lies in memory, lowest byte first.
 * So about a quarter of the signatures with a high s pass, and every low s does.
 */
const highestS = Uint8Array.of(
  ...[0xa0, 0x20, 0x1b, 0x68, 0x46, 0x2f, 0xe9, 0xdf, 0x1d, 0x50, 0xa4, 0x57, 0x73, 0x6e, 0x57, 0x5d],
  ...[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
);

/** Tells whether the chain accepts the form of a 65-byte signature (it refuses others as "not canonical"). */
export function isChainCanonical(signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  for (const [index, limit] of highestS.entries()) {
    const byte = signature[33 + index] ?? 0;
    if (byte !== limit) return byte < limit;
  }
  return true;
}

/** Half of the curve's order: of a signature and its twin, one has an s up to here. */
const HALF_ORDER = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

export type PostingSignature =
  | { isValid: true; key: string }
  | { isValid: false; reason: "signature_malformed" | "account_unknown" | "key_not_posting" };

/**
 * Tells whether one key that is by itself enough for the account's current posting authority made the signature
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

/** Tells whether that key alone satisfies the authority; an open authority (threshold 0) is satisfied by no key. */
export function isEnough(authority: Authority | null, key: string): boolean {
  if (!authority || authority.weight_threshold <= 0) return false;
  return authority.key_auths.some(([text, weight]) => text === key && weight >= authority.weight_threshold);
}

const isCompressedForm = (signature: Uint8Array) => {
  const first = signature[0] ?? 0;
  return first >= 31 && first <= 34;
};
