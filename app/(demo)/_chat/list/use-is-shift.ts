"use client";

import { useState } from "react";
import { isPrepend } from "./is-prepend.ts";
import type { ListRow } from "./list-handle.ts";

/** Whether the latest change of the rows put some before the first one. */
export function useIsShift(rows: readonly ListRow[]): boolean {
  const [known, setKnown] = useState({ rows, isShift: false });
  if (known.rows === rows) return known.isShift;
  const isShift = isPrepend(known.rows, rows);
  setKnown({ rows, isShift });
  return isShift;
}
