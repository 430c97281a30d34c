import type { Trigger } from "./find-trigger.ts";

/** An Enter or Tab that came before the completion it is meant for. */
export type HeldKey = {
  trigger: Trigger;
  /** Where the word to be completed ends. */
  end: number;
  /** How much text comes after the cursor. */
  tail: number;
  isEnter: boolean;
  /** How much was written behind the word when another Enter came, or null without one. */
  sentLength: number | null;
};

type Settled = {
  text: string;
  /** What is to be sent of the text, or null. */
  message: string | null;
  /** What stays in the composer. */
  rest: string;
};

/** False once the word is another, so that the key is for nothing any more. */
export function isStillHeld(
  { trigger: { start }, end, tail }: HeldKey,
  before: string,
  text: string,
): boolean {
  return text.length >= end + tail && text.slice(start, end) === before.slice(start, end);
}

/** Does what the key was for: completes the word, or without a completion sends what was written until then. */
export function settleKey(held: HeldKey, text: string, insert: string | null): Settled {
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
