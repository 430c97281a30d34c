"use client";

import { useEffect, useRef } from "react";

/** Names what was just bought; it gets the focus, since the button that it was bought with is gone. */
export function useFocusWhenPaid(isFresh: boolean) {
  const bought = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isFresh) return;
    // The window in which it was paid first gives the focus back to the button.
    const timer = setTimeout(() => bought.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, [isFresh]);
  return bought;
}
