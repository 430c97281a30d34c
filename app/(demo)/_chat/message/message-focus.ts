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
import { createExternalStore } from "../../_ui/external-store.ts";

type Reason = "hover" | "focus" | "pin";
type Claim = { id: string; reason: Reason };

/**
 * Decides which message shows its actions: the message in which something is open; otherwise the one under
 * the mouse or, while Tab leads, the focused one.
 */
export function createActiveMessage() {
  const { snapshot, subscribe, publish } = createExternalStore<readonly Claim[]>([]);
  let leader: "hover" | "focus" = "hover";
  const latest = (wanted: Reason) => snapshot().findLast(({ reason }) => reason === wanted);
  const without = ({ id, reason }: Claim) =>
    snapshot().filter((claim) => claim.id !== id || claim.reason !== reason);

  return {
    active: () => (latest("pin") ?? latest(leader) ?? snapshot().at(-1))?.id ?? null,
    hasFocus: (id: string) => snapshot().some((claim) => claim.id === id && claim.reason === "focus"),
    claim(claim: Claim) {
      // Focus that returns from a closed dialog does not override the mouse.
      if (claim.reason === "hover") leader = "hover";
      publish([...without(claim), claim]);
    },
    release: (claim: Claim) => publish(without(claim)),
    /** Removes all claims of a message that disappears. */
    releaseAll: (id: string) => publish(snapshot().filter((claim) => claim.id !== id)),
    /** Lets the focus lead until the mouse moves over a message. */
    leadByKey() {
      leader = "focus";
      publish(snapshot());
    },
    subscribe,
  };
}

/** Shared by the page, because timeline and thread share one mouse. */
const activeMessage = createActiveMessage();

const LONG_PRESS_MS = 450;

/** Ignores the lifting of the finger, which must not press an element that just appeared under it. */
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
 * Shows a message's actions while it is hovered, focused or pinned by a menu, or after a long press, for one
 * message at a time.
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
    // A mouse that was at rest takes over from the keyboard when it moves.
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

const LEADING = new Set(["Tab", "ArrowUp", "ArrowDown"]);

/** Lets the focus lead, instead of a mouse at rest, after keys that move the focus. */
export function useTabLeads(): void {
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (LEADING.has(key)) activeMessage.leadByKey();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
