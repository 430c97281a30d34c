import type { ListRow, Place } from "./list-handle.ts";

/** The keys of the first and last row of a range. */
export type RowRange = { first: string; last: string };

/**
 * Returns the rows that fill a view of `room` pixels when a list opens at a place, so that they can be rendered before
 * the list is laid out.
 */
export function rowsAtStart<Row extends ListRow>(
  rows: readonly Row[],
  place: Place,
  room: number,
  heightOf: (row: Row) => number,
): RowRange {
  const start = place === "end" ? rows.length - 1 : rows.findIndex(({ key }) => key === place.key);
  let [first, last, filled] = [start, start - 1, 0];
  const growDown = (pixels: number) => {
    for (let row = rows[last + 1]; row && filled < pixels; row = rows[++last + 1]) filled += heightOf(row);
  };
  const growUp = (pixels: number) => {
    for (let row = rows[first - 1]; row && filled < pixels; row = rows[--first - 1]) filled += heightOf(row);
  };
  growDown(1);
  if (place !== "end" && place.align === "center") growUp((room + filled) / 2);
  growDown(room);
  growUp(room);
  return { first: rows[first]?.key ?? "", last: rows[last]?.key ?? "" };
}
