"use client";

import {
  type FocusEvent,
  type PointerEvent,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { activeMessage } from "./active-message.ts";

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

/**
 * When a message shows its actions: hovered, focused or pinned by a menu of its own, one message at a time; or pressed
 * for long.
 */
export function useMessageFocus() {
  const id = useId();
  const isChosen = useSyncExternalStore(
    activeMessage.subscribe,
    () => activeMessage.active() === id,
    () => false,
  );
  const hasFocus = useSyncExternalStore(
    activeMessage.subscribe,
    () => activeMessage.hasFocus(id),
    () => false,
  );
  const [isSheetOpen, setIsSheetOpen] = useState(false);
  const press = useRef<ReturnType<typeof setTimeout>>(undefined);
  const release = () => clearTimeout(press.current);
  useEffect(
    () => () => {
      clearTimeout(press.current);
      activeMessage.releaseAll(id);
    },
    [id],
  );
  const hover = (event: PointerEvent) => {
    if (event.pointerType === "mouse") activeMessage.claim({ id, reason: "hover" });
  };

  const handlers = {
    onPointerEnter: hover,
    // A mouse that rests where the keyboard has taken over takes it back when it moves.
    onPointerMove: (event: PointerEvent) => {
      if (!isChosen) hover(event);
    },
    onPointerLeave: () => {
      release();
      activeMessage.release({ id, reason: "hover" });
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
    onFocus: () => activeMessage.claim({ id, reason: "focus" }),
    onBlur: (event: FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) activeMessage.release({ id, reason: "focus" });
    },
  };
  return {
    handlers,
    isActive: isChosen && !isSheetOpen,
    hasFocus,
    pin: (isPinned: boolean) => activeMessage[isPinned ? "claim" : "release"]({ id, reason: "pin" }),
    isSheetOpen,
    closeSheet: () => setIsSheetOpen(false),
  };
}
