import { encode } from "uqr";

/**
 * Draws a text as a QR code: the width in modules, with the margin that scanners expect, and the path of an SVG in
 * which each run of dark modules of a row is one bar.
 */
export function qrPath(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "L", border: 4 });
  const bars = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1]) return [];
      const end = row.indexOf(false, x);
      return [`M${x} ${y}h${(end < 0 ? size : end) - x}v1H${x}z`];
    }),
  );
  return { size, path: bars.join("") };
}
