"use client";

import { type RefObject, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { VirtualizerHandle } from "virtua";
import type { ListRow } from "./list-handle.ts";

/**
 * The indexes of the rows up to `pixels` above and below the view, told in the very frame of a scroll. The virtualizer
 * alone renders ahead only where it takes the scroll to go, and in React's own time: a fast scroll outruns it.
 */
export function useRowsAhead(
  scroller: RefObject<HTMLElement | null>,
  virtualizer: RefObject<VirtualizerHandle | null>,
  rows: readonly ListRow[],
  pixels: number,
): number[] {
  const [{ first, last }, setRange] = useState({ first: "", last: "" });
  // The virtualizer listens from its layout effect on, so it knows the new offset by now.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onScroll = () => {
      const handle = virtualizer.current;
      if (!handle) return;
      const { scrollTop, clientHeight } = element;
      const first = rows[handle.findItemIndex(scrollTop - pixels)]?.key ?? "";
      const last = rows[handle.findItemIndex(scrollTop + clientHeight + pixels)]?.key ?? "";
      flushSync(() =>
        setRange((range) => (range.first === first && range.last === last ? range : { first, last })),
      );
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [scroller, virtualizer, rows, pixels]);

  const from = rows.findIndex(({ key }) => key === first);
  const to = rows.findIndex(({ key }) => key === last);
  return from === -1 || to === -1 ? [] : Array.from({ length: to - from + 1 }, (_, step) => from + step);
}

/** Whether the latest change of the rows put some before the first one. */
export function useIsShift(rows: readonly ListRow[]): boolean {
  const [known, setKnown] = useState({ rows, isShift: false });
  if (known.rows === rows) return known.isShift;
  const isShift = isPrepend(known.rows, rows);
  setKnown({ rows, isShift });
  return isShift;
}

/** Whether rows were put before the first one that there was. */
export function isPrepend(before: readonly ListRow[], after: readonly ListRow[]): boolean {
  const first = before[0]?.key;
  return first !== undefined && after[0]?.key !== first && after.some(({ key }) => key === first);
}
