import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

const SIZE = 128;
const CELLS = 5;
const MARGIN = 14;
const CELL = (SIZE - 2 * MARGIN) / CELLS;

function colourOf(hue: number): [number, number, number] {
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    return Math.round(255 * (0.48 - 0.3 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** The default picture of a user: a mirrored pattern in a colour of their own, the same for the same name. */
export function drawAvatar(username: string): Uint8Array {
  const hash = createHash("sha256").update(username).digest();
  const [red, green, blue] = colourOf(((hash[0] ?? 0) * 360) / 256);
  const isFilled = (column: number, line: number) => {
    const mirrored = Math.min(column, CELLS - 1 - column);
    return ((hash[1 + line] ?? 0) >> mirrored) % 2 === 1;
  };
  return encodePng(SIZE, SIZE, (x, y) => {
    const column = Math.floor((x - MARGIN) / CELL);
    const line = Math.floor((y - MARGIN) / CELL);
    const isInside = column >= 0 && column < CELLS && line >= 0 && line < CELLS;
    return isInside && isFilled(column, line) ? [red, green, blue] : [240, 240, 242];
  });
}

type Pixel = readonly [red: number, green: number, blue: number];

/** zlib.crc32 is younger than the oldest Node that is supported. */
function crc32(data: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG of 8-bit RGB pixels. */
function encodePng(width: number, height: number, pixel: (x: number, y: number) => Pixel): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const lines = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) lines.set(pixel(x, y), y * (1 + width * 3) + 1 + x * 3);
  }
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", new Uint8Array()),
  ]);
}
