import { useMemo } from "react";
import { qrPath } from "../../../lib/wallet-links/qr-path.ts";

/** Whole pixels, because modules of unequal width are hard to read. */
const MODULE_PX = 3;

/** A text as a QR code. It is black on white in both themes, because scanners expect it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
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
