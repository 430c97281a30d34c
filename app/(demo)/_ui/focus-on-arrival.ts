"use client";

import { type RefObject, useEffect, useRef } from "react";

/**
 * Returns the ref of a box that takes the focus and comes into view when it appears, because the pressed button in
 * its place is gone or disabled and has lost the focus.
 */
export function useFocusOnArrival(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return box;
}
