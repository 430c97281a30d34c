"use client";

import { useRef } from "react";
import type { Row } from "./rows.ts";

/** Far above any number of older messages; the list counts down from here as they come in. */
const START = 1_000_000_000;

/** The index that keeps the rows in view where they are when older ones are put before them. */
export function useFirstIndex(rows: readonly Row[]): number {
  const place = useRef({ key: "", index: START });
  const first = rows[0]?.key ?? "";
  if (first !== place.current.key) {
    const moved = rows.findIndex(({ key }) => key === place.current.key);
    place.current = { key: first, index: moved === -1 ? START : place.current.index - moved };
  }
  return place.current.index;
}
