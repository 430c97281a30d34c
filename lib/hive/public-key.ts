import { ripemd160 } from "@noble/hashes/legacy.js";

const PREFIX = "STM";
const KEY_BYTES = 33;
const CHECKSUM_BYTES = 4;
const LONGEST_TEXT = 60;

/**
 * Reads a public key (`STM...`) into its 33 bytes. As on the chain, any bytes are valid: accounts without an owner have
 * the key of 33 zeros.
 * @throws Error if the prefix, the alphabet, the length or the checksum is wrong
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

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const digitOf = new Map([...alphabet].map((character, digit) => [character, digit]));

/** Encodes bytes in Bitcoin's base58 alphabet. */
export function encodeBase58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let index = 0; index < digits.length; index++) {
      carry += (digits[index] ?? 0) << 8;
      digits[index] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  const leading = alphabet.charAt(0).repeat(zeros === -1 ? bytes.length : zeros);
  return (
    leading +
    digits
      .reverse()
      .map((digit) => alphabet.charAt(digit))
      .join("")
  );
}

/**
 * Decodes base58 text, or returns `null` if a character is not in the alphabet. The cost is quadratic in the
 * length.
 */
export function decodeBase58(text: string): Uint8Array | null {
  const bytes: number[] = [];
  for (const character of text) {
    let carry = digitOf.get(character);
    if (carry === undefined) return null;
    for (let index = 0; index < bytes.length; index++) {
      carry += (bytes[index] ?? 0) * 58;
      bytes[index] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  const zeros = text.length - text.replace(/^1+/, "").length;
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes.reverse()]);
}
