"use client";

import { useEffect } from "react";
import { sharedTipCounts } from "./shared-tip-counts.ts";

/** Whoever turns to a message sees what it was tipped meanwhile. */
export function useFreshTips(postId: string): void {
  useEffect(() => sharedTipCounts.reread(postId), [postId]);
}

/** Whoever comes back to the page sees what its messages were tipped meanwhile: one request, at most every half minute. */
export function useFreshTipsOnReturn(): void {
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === "visible") sharedTipCounts.rereadShown();
    };
    window.addEventListener("focus", onReturn);
    document.addEventListener("visibilitychange", onReturn);
    return () => {
      window.removeEventListener("focus", onReturn);
      document.removeEventListener("visibilitychange", onReturn);
    };
  }, []);
}
