/** Picture types that browsers display and that cannot hold scripts. */
export const rasterTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const;
export type RasterType = (typeof rasterTypes)[number];

/** The number of leading bytes that identify a picture. */
export const SNIFFED_BYTES = 16;

const latin = (bytes: Uint8Array, start: number, end: number) =>
  Buffer.from(bytes.subarray(start, end)).toString("latin1");

/** Returns the type of a picture by its leading bytes, whatever its declared type; null for anything else. */
export function rasterTypeOf(bytes: Uint8Array): RasterType | null {
  if (latin(bytes, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (latin(bytes, 0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (/^GIF8[79]a$/.test(latin(bytes, 0, 6))) return "image/gif";
  if (latin(bytes, 0, 4) === "RIFF" && latin(bytes, 8, 12) === "WEBP") return "image/webp";
  if (latin(bytes, 4, 8) === "ftyp" && /^avi[fs]$/.test(latin(bytes, 8, 12))) return "image/avif";
  return null;
}
