"use client";

import { useEffect, useRef } from "react";
import { useMarkRead } from "../data/use-view.ts";

/** Esc closes the thread where one is open; otherwise it marks the channel as read. */
export function useEscape(channelId: string, closeThread: (() => void) | null) {
  const markRead = useMarkRead();
  const latest = useRef({ closeThread, markRead });
  latest.current = { closeThread, markRead };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Whatever closed itself with this key has said so.
      if (event.key !== "Escape" || event.defaultPrevented) return;
      const { closeThread: close, markRead: mark } = latest.current;
      if (close) close();
      // The next visit makes up for a mark that fails.
      else mark(channelId).catch(() => undefined);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [channelId]);
}
