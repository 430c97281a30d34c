import { concatBytes } from "@noble/hashes/utils.js";
import { decodeBase58, encodeBase58 } from "../../hive/public-key.ts";
import { decodeBase64Url } from "../base64.ts";

/** A public key that verifies signatures of one algorithm. */
export type VerifyingKey = {
  alg: "EdDSA" | "ES256K";
  /** 32 bytes for `EdDSA` (Ed25519), 33 for `ES256K` (secp256k1). */
  bytes: Uint8Array;
};

/** The bytes before a key in a `did:key`, and the length of the key. */
const kinds = [
  { alg: "EdDSA", prefix: [0xed, 0x01], length: 32 },
  { alg: "ES256K", prefix: [0xe7, 0x01], length: 33 },
] as const;

const MAX_CHARACTERS = 2048;

/** Returns the DID URL of an Ed25519 public key, which contains the key. */
export function didKeyOf(publicKey: Uint8Array): string {
  const name = `z${encodeBase58(concatBytes(Uint8Array.from(kinds[0].prefix), publicKey))}`;
  return `did:key:${name}#${name}`;
}

/** Returns the key that a `did:key` or `did:jwk` contains, or `null` for any other DID. */
export function keyInDid(did: string): VerifyingKey | null {
  const [, method, name = ""] = /^did:(key|jwk):([A-Za-z0-9_-]+)(?:#.*)?$/s.exec(did) ?? [];
  if (did.length > MAX_CHARACTERS || method === undefined) return null;
  return method === "key" ? keyInMultibase(name) : keyInJwkText(name);
}

/** Returns the key in its multibase form (`z6Mk…`), or `null`. */
export function keyInMultibase(text: unknown): VerifyingKey | null {
  if (typeof text !== "string" || text.length > 100 || !text.startsWith("z")) return null;
  const bytes = decodeBase58(text.slice(1));
  const kind = kinds.find(
    ({ prefix, length }) =>
      bytes?.length === prefix.length + length && prefix.every((byte, index) => bytes[index] === byte),
  );
  return kind && bytes ? { alg: kind.alg, bytes: bytes.slice(kind.prefix.length) } : null;
}

/** Returns the key in a JSON Web Key, or `null`. */
export function keyInJwk(jwk: unknown): VerifyingKey | null {
  const { kty, crv, x, y } = (jwk ?? {}) as Record<string, unknown>;
  try {
    const [first, second] = [x, y].map((part) => decodeBase64Url(typeof part === "string" ? part : ""));
    if (kty === "OKP" && crv === "Ed25519" && first?.length === 32) return { alg: "EdDSA", bytes: first };
    if (kty !== "EC" || crv !== "secp256k1" || first?.length !== 32 || second?.length !== 32) return null;
    const parity = 2 + ((second[31] ?? 0) & 1);
    return { alg: "ES256K", bytes: concatBytes(Uint8Array.of(parity), first) };
  } catch {
    // The numbers are not base64url.
    return null;
  }
}

function keyInJwkText(text: string): VerifyingKey | null {
  try {
    return keyInJwk(JSON.parse(new TextDecoder().decode(decodeBase64Url(text))));
  } catch {
    // The text is not base64url of JSON.
    return null;
  }
}
