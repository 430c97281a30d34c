"use client";

import { useState } from "react";
import type { ListRow } from "./list-row.ts";

/** Whether the latest change of the rows put some before the first one. */
export function useIsShift(rows: readonly ListRow[]): boolean {
  const [known, setKnown] = useState({ rows, isShift: false });
  if (known.rows === rows) return known.isShift;
  const first = known.rows[0]?.key;
  const isShift = first !== undefined && rows[0]?.key !== first && rows.some(({ key }) => key === first);
  setKnown({ rows, isShift });
  return isShift;
}
