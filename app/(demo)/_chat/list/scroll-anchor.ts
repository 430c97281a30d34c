import type { VirtualizerHandle } from "virtua";
import { type ListRow, type Place, viewOf } from "./list-handle.ts";

/** Where a row has come to stand: `inset` pixels below the view's upper edge. */
type StandingRow = { key: string; inset: number };

export type ScrollAnchor = Place | StandingRow;

type Offsets = Pick<VirtualizerHandle, "findItemIndex" | "getItemOffset" | "getItemSize">;
type Geometry = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

/** The scroll offset of a place in pixels; null for a row that is not in the list. */
export function offsetOf(
  place: ScrollAnchor,
  rows: readonly ListRow[],
  { scrollHeight, clientHeight }: Geometry,
  offsets: Offsets,
): number | null {
  if (place === "end") return scrollHeight - clientHeight;
  const index = rows.findIndex(({ key }) => key === place.key);
  if (index === -1) return null;
  const top = offsets.getItemOffset(index);
  if ("inset" in place) return top - place.inset;
  const room = clientHeight - offsets.getItemSize(index);
  return place.align === "start" ? top : top - Math.max(0, room / 2);
}

/** The first row in view, where it stands now; null in an empty list. */
export function placeInView(
  rows: readonly ListRow[],
  { scrollTop }: Geometry,
  offsets: Offsets,
): StandingRow | null {
  const index = offsets.findItemIndex(scrollTop);
  const row = rows[index];
  return row ? { key: row.key, inset: offsets.getItemOffset(index) - scrollTop } : null;
}

type PlaceAfterScrollGeometry = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

/** A list as it last stood, and the first row in view then. */
export type Known = PlaceAfterScrollGeometry & { inView: StandingRow | null };

/** What browsers round an offset by stays below this; a scroll that goes further and isn't ours is the reader's. */
export const ROUNDING_PX = 1;

/** The place to hold after a scroll that no event has told of yet; the list may have got another height since. */
export function placeAfterScroll(
  held: ScrollAnchor | null,
  known: Known,
  { scrollTop, scrollHeight, clientHeight }: PlaceAfterScrollGeometry,
): ScrollAnchor | null {
  const moved = scrollTop - known.scrollTop;
  const { inView } = known;
  if (Math.abs(moved) <= ROUNDING_PX || !inView) return held;
  // A list that got shorter is moved by the browser, to its end.
  if (moved < 0 && scrollTop + ROUNDING_PX >= scrollHeight - clientHeight) return held;
  if (held === "end" && viewOf({ ...known, scrollTop }).isAtEnd) return held;
  return { key: inView.key, inset: inView.inset - moved };
}
