"use client";

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Trigger } from "./find-trigger.ts";
import { type HeldKey, isStillHeld } from "./held-key.ts";
import type { Suggestion } from "./use-suggestions.ts";

/** Longer than this no completion is about to come. */
const PATIENCE_MS = 3_000;

export type OnSettle = (held: HeldKey, suggestion: Suggestion | undefined) => void;

/** Keeps an Enter or Tab that was pressed while suggestions were on their way, until they are there. */
export function useHeldKey(onSettle: OnSettle) {
  const [held, setHeld] = useState<HeldKey | null>(null);
  const heldText = useRef("");
  const settle = (suggestion: Suggestion | undefined) => {
    if (!held) return;
    setHeld(null);
    onSettle(held, suggestion);
  };
  const latest = useRef(settle);
  latest.current = settle;

  const isHeld = held !== null;
  useEffect(() => {
    if (!isHeld) return;
    const timer = setTimeout(() => latest.current(undefined), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isHeld]);

  return {
    held,
    settle: latest,
    release: () => setHeld(null),
    hold(trigger: Trigger, event: KeyboardEvent<HTMLTextAreaElement>) {
      const { value, selectionStart } = event.currentTarget;
      heldText.current = value;
      setHeld({
        trigger,
        end: selectionStart,
        tail: value.length - selectionStart,
        isEnter: event.key === "Enter",
        sentLength: null,
      });
    },
    /** Another Enter: what is completed is to be sent, with what was written since. */
    holdSend(event: KeyboardEvent<HTMLTextAreaElement>) {
      const { length } = event.currentTarget.value;
      setHeld(
        (present) => present && { ...present, sentLength: Math.max(0, length - present.tail - present.end) },
      );
    },
    follow(text: string) {
      if (held && !isStillHeld(held, heldText.current, text)) setHeld(null);
    },
  };
}
