import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { decodeBase58, encodeBase58 } from "./public-key.ts";

const WIF_VERSION = 0x80;
const WIF_BYTES = 37;
const LONGEST_WIF = 60;
const SECRET_BYTES = 32;
const CHECKSUM_BYTES = 4;
/** The first byte of a signature for a compressed key, before the recovery id is added. */
const FIRST_BYTE = 31;

/** Returns the 32 bytes of a private key in WIF, or null for a wrong version, length or checksum. */
export function decodeWif(wif: string): Uint8Array | null {
  const bytes = wif.length <= LONGEST_WIF ? decodeBase58(wif) : null;
  if (bytes?.length !== WIF_BYTES || bytes[0] !== WIF_VERSION) return null;
  const end = 1 + SECRET_BYTES;
  const checksum = sha256(sha256(bytes.subarray(0, end)));
  return bytes.subarray(end).every((byte, index) => byte === checksum[index]) ? bytes.subarray(1, end) : null;
}

/** Writes the 32 bytes of a private key in WIF. */
export function encodeWif(secret: Uint8Array): string {
  const body = Uint8Array.of(WIF_VERSION, ...secret);
  return encodeBase58(Uint8Array.of(...body, ...sha256(sha256(body)).subarray(0, CHECKSUM_BYTES)));
}

/**
 * Signs a 32-byte digest in the form that the chain and its apps use: 130 hex digits, recoverable, with the
 * lower s.
 */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): string {
  const signature = secp256k1.sign(digest, privateKey, { lowS: true });
  return (FIRST_BYTE + signature.recovery).toString(16) + bytesToHex(signature.toCompactRawBytes());
}

/** Signs the SHA-256 of a text with a private key in WIF, or returns null for an invalid key. */
export function signText(text: string, wif: string): string | null {
  const key = decodeWif(wif);
  return key && signDigest(sha256(utf8ToBytes(text)), key);
}
