import { createRequire } from "node:module";
import { type Recover, recoverInJavascript, recoverWith } from "./recover-in-javascript.ts";

type Native = {
  ecdsaRecover(compact: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: true): Uint8Array;
};

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

/** Recovers a public key as `recoverWith` does, by the fastest implementation available. */
export function recoverPublicKey(digest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  return recoverWith(nativeRecover() ?? recoverInJavascript, digest, signature);
}
