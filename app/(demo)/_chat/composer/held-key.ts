"use client";

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Suggestion, Trigger } from "./suggestions.ts";

/** An Enter or Tab that was pressed before its completion arrived. */
export type HeldKey = {
  trigger: Trigger;
  /** Offset at which the word to complete ends. */
  end: number;
  /** Length of the text after the cursor. */
  tail: number;
  isEnter: boolean;
  /** Length of the text after the word when Enter was pressed again, or null without a second Enter. */
  sentLength: number | null;
};

type Resolved = {
  text: string;
  /** The part of the text to send, or null. */
  message: string | null;
  /** The part that stays in the composer. */
  rest: string;
};

/** Returns whether the word is unchanged, so the key still applies. */
export function isStillHeld(
  { trigger: { start }, end, tail }: HeldKey,
  before: string,
  text: string,
): boolean {
  return text.length >= end + tail && text.slice(start, end) === before.slice(start, end);
}

/**
 * Returns the effect of the held key: it completes the word or, without a completion, Enter sends the text up
 * to the end of that word.
 */
export function resolveHeldKey(held: HeldKey, text: string, insert: string | null): Resolved {
  const { trigger, tail, isEnter, sentLength } = held;
  const completed = insert === null ? text : text.slice(0, trigger.start) + insert + text.slice(held.end);
  const end = insert === null ? held.end : trigger.start + insert.length;
  const length = insert === null ? (isEnter ? 0 : null) : sentLength;
  if (length === null) return { text: completed, message: null, rest: completed };
  const tailStart = completed.length - tail;
  return {
    text: completed,
    message: completed.slice(0, end + length) + completed.slice(tailStart),
    rest: completed.slice(end + length, tailStart),
  };
}

/** Time after which no completion is expected. */
const PATIENCE_MS = 3_000;

export type OnResolve = (held: HeldKey, suggestion: Suggestion | undefined) => void;

/** Holds an Enter or Tab that was pressed while suggestions were loading, until they arrive. */
export function useHeldKey(onResolve: OnResolve) {
  const [held, setHeld] = useState<HeldKey | null>(null);
  const heldText = useRef("");
  const resolve = (suggestion: Suggestion | undefined) => {
    if (!held) return;
    setHeld(null);
    onResolve(held, suggestion);
  };
  // No effect event, because an effect of another hook also calls it.
  const latest = useRef(resolve);
  latest.current = resolve;

  const isHeld = held !== null;
  useEffect(() => {
    if (!isHeld) return;
    const timer = setTimeout(() => latest.current(undefined), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isHeld]);

  return {
    held,
    resolve: latest,
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
    /** Handles another Enter: sends the completed text with the text written since. */
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
