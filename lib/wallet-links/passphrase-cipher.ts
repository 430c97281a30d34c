import { md5 } from "@noble/hashes/legacy.js";

/** Eight bytes that mark a text as encrypted in OpenSSL's format, with a salt after them. */
const MARK = new TextEncoder().encode("Salted__");
const SALT_BYTES = 8;
const KEY_BYTES = 32;
const IV_BYTES = 16;

/**
 * Encrypts a text by AES-256-CBC with a passphrase, in OpenSSL's format as base64, which wallets of HiveAuth read. It
 * keeps the text secret, but whoever passes it on can change it unnoticed.
 */
export async function encryptWithPassphrase(text: string, passphrase: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const { key, iv } = await deriveKey(passphrase, salt, "encrypt");
  const bytes = new TextEncoder().encode(text);
  const encrypted = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CBC", iv }, key, bytes));
  return btoa(Array.from(concat(MARK, salt, encrypted), (byte) => String.fromCharCode(byte)).join(""));
}

/** Decrypts such a text, or returns null for one that is not encrypted with this passphrase. */
export async function decryptWithPassphrase(encrypted: string, passphrase: string): Promise<string | null> {
  try {
    const bytes = Uint8Array.from(atob(encrypted), (character) => character.charCodeAt(0));
    if (!MARK.every((byte, index) => bytes[index] === byte)) return null;
    const bodyAt = MARK.length + SALT_BYTES;
    const { key, iv } = await deriveKey(passphrase, bytes.slice(MARK.length, bodyAt), "decrypt");
    const text = await crypto.subtle.decrypt({ name: "AES-CBC", iv }, key, bytes.slice(bodyAt));
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    // It is no base64, or has another key's padding, or is no text.
    return null;
  }
}

/** Derives key and initialization vector as OpenSSL's `EVP_BytesToKey` does with MD5 and one round. */
async function deriveKey(passphrase: string, salt: Uint8Array, use: "encrypt" | "decrypt") {
  const seed = concat(new TextEncoder().encode(passphrase), salt);
  let derived = new Uint8Array();
  let last = new Uint8Array();
  while (derived.length < KEY_BYTES + IV_BYTES) {
    last = new Uint8Array(md5(concat(last, seed)));
    derived = concat(derived, last);
  }
  const key = await crypto.subtle.importKey("raw", derived.slice(0, KEY_BYTES), "AES-CBC", false, [use]);
  return { key, iv: derived.slice(KEY_BYTES, KEY_BYTES + IV_BYTES) };
}

function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
