/** Encodes bytes as base64: the standard alphabet, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Decodes base64 in its only canonical spelling.
 * @throws an error for any other text
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  // `atob` accepts blanks, missing padding and stray bits; `btoa` writes the only canonical spelling.
  if (btoa(binary) !== text) throw new SyntaxError("not base64");
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Encodes bytes as base64url, without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Decodes base64url in its only canonical spelling.
 * @throws an error for any other text
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new SyntaxError("not base64url");
  const padding = "=".repeat((4 - (text.length % 4)) % 4);
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/") + padding);
}
