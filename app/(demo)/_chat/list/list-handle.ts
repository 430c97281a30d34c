/** What a list knows of a row: a key that stays its own. */
export type ListRow = { key: string };

/** Where a row stands when the list is moved to it. */
export type RowAlign = "start" | "center";

/** The place that a list holds: its end, or one row. */
export type Place = "end" | { key: string; align: RowAlign };

/** What others may ask of a list. */
export type ListHandle = {
  /** Moves to a place and holds it, whatever is put before it or grows, until the reader scrolls. */
  show: (place: Place) => void;
};
