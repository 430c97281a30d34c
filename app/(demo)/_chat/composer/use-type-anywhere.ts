"use client";

import { useEffect } from "react";
import { isTyping } from "./is-typing.ts";

/** The space bar scrolls and presses; the question mark asks for help. */
const OTHER_USE = new Set([" ", "?"]);
const WINDOW = "[role=dialog][data-state=open], [role=menu]";
const PANEL = "[role=complementary], [role=dialog]";

/** Whoever begins to write, wherever the focus is, writes into the composer of the panel that it is in, or the channel's. */
export function useTypeAnywhere(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
      if (defaultPrevented || ctrlKey || metaKey || altKey || key.length !== 1 || OTHER_USE.has(key)) return;
      if (isTyping(target) || document.querySelector(WINDOW)) return;
      const place = (target instanceof Element && target.closest(PANEL)) || document;
      // The key that is on its way goes to what has the focus by then.
      place.querySelector<HTMLElement>("textarea[data-composer]")?.focus({ preventScroll: true });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
