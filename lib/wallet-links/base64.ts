/** Returns the base64 of a text's UTF-8 bytes, in every browser and runtime. */
export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Returns the base64 of a text in the alphabet of Hive's links: `-`, `_` and `.` for `+`, `/` and `=`. */
export const encodeBase64u = (text: string): string =>
  encodeBase64(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ".");
