import { forgetOldest } from "../../async/cache.ts";
import { recoverPublicKey } from "../../hive/recover-key.ts";

/** Recovers the key (33 bytes) behind a signature (65 bytes) over a digest (32 bytes), or returns null. */
export type RecoverKey = (digest: Uint8Array, signature: Uint8Array) => Uint8Array | null;

/** More than the payments that wait for their block at once. */
const MOST_KEYS = 1000;

/**
 * Creates a recovery that caches its latest results: a payment's signature is judged by two nodes, and again when
 * it settles. The key follows from the bytes of digest and signature alone, so the cache decides nothing: the
 * authority, the balance and the time are read from the chain at each judgement.
 */
export function createKeyRecovery(recover: RecoverKey = recoverPublicKey): RecoverKey {
  const keys = new Map<string, Uint8Array>();
  return (digest, signature) => {
    // Both have a fixed length, so no other pair has the same text.
    const id = textOf(digest) + textOf(signature);
    const present = keys.get(id);
    if (present) return present;
    const key = recover(digest, signature);
    if (key === null) return null;
    keys.set(id, key);
    forgetOldest(keys, MOST_KEYS);
    return key;
  };
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
