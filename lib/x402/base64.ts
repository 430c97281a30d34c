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
