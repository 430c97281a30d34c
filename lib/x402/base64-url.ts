import { decodeBase64, encodeBase64 } from "./base64.ts";

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64url without padding, in its only canonical spelling; null for any other text. */
export function fromBase64Url(text: string): Uint8Array | null {
  try {
    const plain = text.replaceAll("-", "+").replaceAll("_", "/");
    return /^[A-Za-z0-9_-]*$/.test(text)
      ? decodeBase64(plain.padEnd(Math.ceil(plain.length / 4) * 4, "="))
      : null;
  } catch {
    return null;
  }
}
