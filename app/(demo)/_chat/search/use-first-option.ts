"use client";

import { type RefObject, useEffect } from "react";

/**
 * Makes the first row of a palette the one that Enter takes whenever what it shows is another: also when better rows
 * come in above the one that was first. The palette's own way tells a screen reader of the row before.
 */
export function useFirstOption(palette: RefObject<HTMLElement | null>, shown: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` says when
  useEffect(() => {
    palette.current?.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
  }, [palette, shown]);
}
