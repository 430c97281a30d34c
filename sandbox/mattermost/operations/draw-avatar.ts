import { createHash } from "node:crypto";
import { encodePng } from "./encode-png.ts";

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

/** The default picture of a user: a mirrored pattern in a colour of his own, the same for the same name. */
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
