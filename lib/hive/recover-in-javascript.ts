import { secp256k1 } from "@noble/curves/secp256k1.js";
import { SIGNATURE_BYTES } from "./transaction.ts";

const LOWEST_FIRST_BYTE = 27;
const HIGHEST_FIRST_BYTE = 34;

/** Recovers the 33 bytes of the key from 64 bytes of signature. Throws if there is no such key. */
export type Recover = (digest: Uint8Array, compact: Uint8Array, recoveryId: number) => Uint8Array;

/** Recovers a key on any platform, without the addon. */
export const recoverInJavascript: Recover = (digest, compact, recoveryId) =>
  secp256k1.Signature.fromCompact(compact)
    .addRecoveryBit(recoveryId)
    .recoverPublicKey(digest)
    .toRawBytes(true);

/**
 * Recovers, by `recover`, the public key (33 bytes) behind `signature` (65 bytes: 27..34, r, s) over `digest`
 * (32 bytes), or returns `null`. As on the chain, a first byte of 27..30 means the same as 31..34.
 * `isChainCanonical` decides whether the chain accepts the signature's form.
 */
export function recoverWith(recover: Recover, digest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  const first = signature[0] ?? 0;
  if (signature.length !== SIGNATURE_BYTES || first < LOWEST_FIRST_BYTE || first > HIGHEST_FIRST_BYTE)
    return null;
  try {
    return recover(digest, signature.subarray(1), (first - LOWEST_FIRST_BYTE) & 3);
  } catch {
    // r or s is out of range, or r is not a point of the curve, so no key created this signature.
    return null;
  }
}
