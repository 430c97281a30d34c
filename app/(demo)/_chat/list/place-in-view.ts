import type { VirtualizerHandle } from "virtua";
import type { Geometry, ListRow, Place } from "./list-handle.ts";

/** A row's current position: `inset` pixels below the view's upper edge. */
export type StandingRow = { key: string; inset: number };

export type ScrollAnchor = Place | StandingRow;

type Offsets = Pick<VirtualizerHandle, "findItemIndex" | "getItemOffset" | "getItemSize">;

/** Returns the scroll offset of a place in pixels, or null for a row that is not in the list. */
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

/** Returns the first row in view at its current position, or null for an empty list. */
export function placeInView(
  rows: readonly ListRow[],
  { scrollTop }: Geometry,
  offsets: Offsets,
): StandingRow | null {
  const index = offsets.findItemIndex(scrollTop);
  const row = rows[index];
  return row ? { key: row.key, inset: offsets.getItemOffset(index) - scrollTop } : null;
}
