import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { decodeBase64Url } from "../base64.ts";
import type { VerifyingKey } from "./did-key.ts";

const MAX_CHARACTERS = 8192;

/** A JWS whose signature has not been verified yet. */
export type UnverifiedJws = {
  alg: unknown;
  kid: string;
  jwk: unknown;
  terms: Readonly<Record<string, unknown>>;
  /** Returns whether the key made the signature. */
  isSignedBy(key: VerifyingKey): boolean;
};

/** Reads a JWS in its compact form, or returns `null` for anything else. */
export function readJws(text: unknown): UnverifiedJws | null {
  if (typeof text !== "string" || text.length > MAX_CHARACTERS) return null;
  const [header = "", payload = "", signature = "", ...more] = text.split(".");
  if (more.length > 0) return null;
  try {
    const { alg, kid, jwk, crit } = parseRecord(header);
    const terms = parseRecord(payload);
    // A critical extension of JWS changes the meaning of the signature, and none is supported.
    if (typeof kid !== "string" || crit !== undefined) return null;
    const signatureBytes = decodeBase64Url(signature);
    const signed = utf8ToBytes(`${header}.${payload}`);
    return {
      ...{ alg, kid, jwk, terms },
      isSignedBy: (key) => alg === key.alg && verifiers[key.alg](signatureBytes, signed, key.bytes),
    };
  } catch {
    // A part is not base64url of a JSON object.
    return null;
  }
}

function parseRecord(text: string): Record<string, unknown> {
  const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64Url(text)));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SyntaxError("not an object");
  return value as Record<string, unknown>;
}

type Verify = (signature: Uint8Array, signed: Uint8Array, key: Uint8Array) => boolean;

const verifiers: Record<VerifyingKey["alg"], Verify> = {
  EdDSA: (signature, signed, key) => isValid(() => ed25519.verify(signature, signed, key, { zip215: false })),
  // JWS allows both forms of a signature of secp256k1.
  ES256K: (signature, signed, key) =>
    isValid(() => secp256k1.verify(signature, sha256(signed), key, { lowS: false, format: "compact" })),
};

function isValid(verify: () => boolean): boolean {
  try {
    return verify();
  } catch {
    // The signature or the key is malformed.
    return false;
  }
}
