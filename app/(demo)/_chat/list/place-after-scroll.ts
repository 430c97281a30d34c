import { viewOf } from "./list-view.ts";
import type { ScrollAnchor, StandingRow } from "./scroll-anchor.ts";

type Geometry = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

/** A list as it last stood, and the first row in view then. */
export type Known = Geometry & { inView: StandingRow | null };

/** What browsers round an offset by stays below this; a scroll that goes further and isn't ours is the reader's. */
export const ROUNDING_PX = 1;

/** The place to hold after a scroll that no event has told of yet; the list may have got another height since. */
export function placeAfterScroll(
  held: ScrollAnchor | null,
  known: Known,
  { scrollTop, scrollHeight, clientHeight }: Geometry,
): ScrollAnchor | null {
  const moved = scrollTop - known.scrollTop;
  const { inView } = known;
  if (Math.abs(moved) <= ROUNDING_PX || !inView) return held;
  // A list that got shorter is moved by the browser, to its end.
  if (moved < 0 && scrollTop + ROUNDING_PX >= scrollHeight - clientHeight) return held;
  if (held === "end" && viewOf({ ...known, scrollTop }).isAtEnd) return held;
  return { key: inView.key, inset: inView.inset - moved };
}
