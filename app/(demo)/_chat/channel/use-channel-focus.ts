"use client";

import { type RefObject, useEffect } from "react";
import { catchFocus, isFocusLost } from "../composer/focus-composer.ts";

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
