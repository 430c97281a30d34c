import { type Geometry, viewOf } from "./list-handle.ts";
import type { ScrollAnchor, StandingRow } from "./place-in-view.ts";

/** The last geometry of a list, and the first row in view at that time. */
export type LastView = Geometry & { inView: StandingRow | null };

/** Browsers round offsets by less than this. A larger scroll that isn't ours is the reader's. */
export const ROUNDING_PX = 1;

/**
 * Returns the place to hold after a scroll that no event has reported yet. The list's height may have changed
 * since.
 */
export function placeAfterScroll(
  held: ScrollAnchor | null,
  known: LastView,
  { scrollTop, scrollHeight, clientHeight }: Geometry,
): ScrollAnchor | null {
  const moved = scrollTop - known.scrollTop;
  const { inView } = known;
  if (Math.abs(moved) <= ROUNDING_PX || !inView) return held;
  // The browser scrolls a list that got shorter to its end.
  if (moved < 0 && scrollTop + ROUNDING_PX >= scrollHeight - clientHeight) return held;
  if (held === "end" && viewOf({ ...known, scrollTop }).isAtEnd) return held;
  return { key: inView.key, inset: inView.inset - moved };
}
