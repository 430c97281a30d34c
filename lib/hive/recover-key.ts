import { createRequire } from "node:module";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { SIGNATURE_BYTES } from "./transaction.ts";

const LOWEST_FIRST_BYTE = 27;
const HIGHEST_FIRST_BYTE = 34;

/** Recovers the 33 bytes of the key from 64 bytes of signature. Throws if there is no such key. */
type Recover = (digest: Uint8Array, compact: Uint8Array, recoveryId: number) => Uint8Array;

type Native = {
  ecdsaRecover(compact: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: true): Uint8Array;
};

/** Recovers a key without the addon; exported so that a test compares it with the native implementation. */
export const recoverInJavascript: Recover = (digest, compact, recoveryId) =>
  secp256k1.Signature.fromCompact(compact)
    .addRecoveryBit(recoveryId)
    .recoverPublicKey(digest)
    .toRawBytes(true);

function loadNative(): Recover | null {
  try {
    const addon = createRequire(import.meta.url)("secp256k1/bindings.js") as Native;
    return (digest, compact, recoveryId) => addon.ecdsaRecover(compact, recoveryId, digest, true);
  } catch {
    process.emitWarning(
      "No compiled secp256k1 is installed here, or none fits this platform: signatures are checked about 20 times slower. `npm install secp256k1@5` adds it.",
      { code: "HIVEGATE_SLOW_CRYPTO" },
    );
    return null;
  }
}

/** `undefined` until the first signature, so that programs that check none see no warning about the addon. */
let native: Recover | null | undefined;

function nativeRecover(): Recover | null {
  if (native === undefined) native = loadNative();
  return native;
}

/** Returns the implementation that this process uses for recovery. */
export function recoveryImplementation(): "native" | "javascript" {
  return nativeRecover() ? "native" : "javascript";
}

/**
 * Recovers the public key (33 bytes) behind `signature` (65 bytes: 27..34, r, s) over `digest` (32 bytes), or
 * returns `null`. As on the chain, a first byte of 27..30 means the same as 31..34. `isChainCanonical`
 * decides whether the chain accepts the signature's form.
 */
export function recoverPublicKey(digest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  const first = signature[0] ?? 0;
  if (signature.length !== SIGNATURE_BYTES || first < LOWEST_FIRST_BYTE || first > HIGHEST_FIRST_BYTE)
    return null;
  const recover = nativeRecover() ?? recoverInJavascript;
  try {
    return recover(digest, signature.subarray(1), (first - LOWEST_FIRST_BYTE) & 3);
  } catch {
    // r or s is out of range, or r is not a point of the curve, so no key created this signature.
    return null;
  }
}
