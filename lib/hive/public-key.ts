import { ripemd160 } from "@noble/hashes/legacy.js";
import { decodeBase58, encodeBase58 } from "./base58.ts";

const PREFIX = "STM";
const KEY_BYTES = 33;
const CHECKSUM_BYTES = 4;
const LONGEST_TEXT = 60;

/**
 * Reads the text of a public key (`STM...`) into its 33 bytes. Any bytes pass, as on the chain:
 * accounts that nobody shall control hold the key of 33 zeros.
 * @throws Error when the prefix, the alphabet, the length or the checksum is wrong.
 */
export function decodePublicKey(text: string): Uint8Array {
  const bytes =
    text.startsWith(PREFIX) && text.length <= LONGEST_TEXT ? decodeBase58(text.slice(PREFIX.length)) : null;
  if (bytes?.length !== KEY_BYTES + CHECKSUM_BYTES) throw new Error("not the text of a public key");
  const key = bytes.subarray(0, KEY_BYTES);
  const checksum = ripemd160(key);
  if (bytes.subarray(KEY_BYTES).some((byte, index) => byte !== checksum[index]))
    throw new Error("the checksum of the public key is wrong");
  return key;
}

/** Writes the 33 bytes of a public key as the chain's text (`STM...`). */
export function encodePublicKey(bytes: Uint8Array): string {
  const checked = new Uint8Array(KEY_BYTES + CHECKSUM_BYTES);
  checked.set(bytes);
  checked.set(ripemd160(bytes).subarray(0, CHECKSUM_BYTES), KEY_BYTES);
  return PREFIX + encodeBase58(checked);
}
