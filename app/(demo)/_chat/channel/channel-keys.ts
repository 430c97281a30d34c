"use client";

import { type RefObject, useEffect, useRef } from "react";
import { catchFocus, isFocusLost } from "../composer/focus-composer.ts";
import { useMarkRead } from "../data/use-view.ts";

/**
 * Keeps the keyboard in the channel when what had the focus is gone: a thread that closes gives it back to `opener`,
 * and a channel that is opened or joined puts it into the composer.
 */
export function useChannelFocus(
  isWritable: boolean,
  rootId: string | null,
  opener: RefObject<Element | null>,
): void {
  useEffect(() => {
    if (rootId !== null) return;
    const before = opener.current;
    opener.current = null;
    if (isFocusLost() && before instanceof HTMLElement && before.isConnected)
      before.focus({ preventScroll: true });
    if (isWritable) catchFocus("");
  }, [isWritable, rootId, opener]);
}

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
