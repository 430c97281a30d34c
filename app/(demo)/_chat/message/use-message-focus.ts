"use client";

import { type FocusEvent, type PointerEvent, useEffect, useRef, useState } from "react";

const LONG_PRESS_MS = 450;

/** What appears under a finger must not take its lifting for a press. */
function swallowRelease() {
  const listening = new AbortController();
  const { signal } = listening;
  const stop = () => listening.abort();
  const swallow = (event: TouchEvent) => {
    event.preventDefault();
    stop();
  };
  window.addEventListener("touchend", swallow, { capture: true, passive: false, signal });
  for (const name of ["touchcancel", "pointerdown"]) window.addEventListener(name, stop, { signal });
}

/** When a message shows its actions: hovered, focused, pinned by a menu of its own, or pressed for long. */
export function useMessageFocus() {
  const [isHovered, setIsHovered] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  const [isPinned, setIsPinned] = useState(false);
  const [isSheetOpen, setIsSheetOpen] = useState(false);
  const press = useRef<ReturnType<typeof setTimeout>>(undefined);
  const release = () => clearTimeout(press.current);
  useEffect(() => () => clearTimeout(press.current), []);

  const handlers = {
    onPointerEnter: (event: PointerEvent) => {
      if (event.pointerType === "mouse") setIsHovered(true);
    },
    onPointerLeave: () => {
      release();
      setIsHovered(false);
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType === "mouse" || !event.currentTarget.contains(event.target as Node)) return;
      release();
      press.current = setTimeout(() => {
        swallowRelease();
        setIsSheetOpen(true);
      }, LONG_PRESS_MS);
    },
    onPointerUp: release,
    onPointerCancel: release,
    onFocus: () => setIsFocused(true),
    onBlur: (event: FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) setIsFocused(false);
    },
  };
  return {
    handlers,
    isActive: (isHovered || isFocused || isPinned) && !isSheetOpen,
    pin: setIsPinned,
    isSheetOpen,
    closeSheet: () => setIsSheetOpen(false),
  };
}
