import { useMemo } from "react";
import { encode } from "uqr";

/** Whole pixels, because modules of unequal width are hard to read. */
const MODULE_PX = 3;

/** A text as a QR code. It is black on white in both themes, because scanners expect it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawCode(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={size * MODULE_PX}
      shapeRendering="crispEdges"
      className="mx-auto block h-auto max-w-full rounded-lg bg-white"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

/** Draws each run of dark modules of a row as one bar. */
function drawCode(text: string): { size: number; path: string } {
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
