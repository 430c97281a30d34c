"use client";

import { useEffect } from "react";
import { hasKeys } from "../../_ui/text-field.tsx";
import { heldField } from "./held-text.ts";

/** Moves the cursor to the composer of a channel (`rootId` empty) or thread. */
export function focusComposer(rootId: string): void {
  document.querySelector<HTMLElement>(`textarea[data-composer="${rootId}"]`)?.focus({ preventScroll: true });
}

/**
 * Writes into a field as its keys would, so that undo works. A field without focus stays unfocused and gets
 * no undo.
 */
export function typeInto(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.setSelectionRange(start, end);
  const command = text === "" ? "delete" : "insertText";
  if (document.activeElement === field && document.execCommand(command, false, text)) return;
  field.setRangeText(text, start, end, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Returns whether the focused element has disappeared, so no element receives keys. */
export const isFocusLost = () => document.activeElement === null || document.activeElement === document.body;

/**
 * Focuses an element. An element in a row that is hidden until it has been measured gets the focus as soon as
 * it is visible, unless another element has the focus by then. Call the returned function to stop.
 */
export function focusOnceVisible(element: HTMLElement): () => void {
  let frame = 0;
  const again = () => {
    if (!isFocusLost()) return;
    element.focus();
    frame = requestAnimationFrame(again);
  };
  element.focus();
  frame = requestAnimationFrame(again);
  return () => cancelAnimationFrame(frame);
}

const WINDOW = "[role=dialog][data-state=open], [role=menu]";

/**
 * Moves a lost focus to a composer, except on a touch screen, and unless an element that just opened is about
 * to get the focus.
 */
export function catchFocus(rootId: string): void {
  if (isFocusLost() && hasKeys() && !document.querySelector(WINDOW)) focusComposer(rootId);
}

/** Returns whether the focused element uses keys as text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

/** Keys with another use: the space bar scrolls and presses buttons, the question mark opens the help. */
const OTHER_USE = new Set([" ", "?"]);
const PANEL = "[role=complementary], [role=dialog]";

/** Moves text typed anywhere into the composer of the panel with the focus, or of the channel, or of the next one. */
export function useTypeAnywhere(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
      if (defaultPrevented || ctrlKey || metaKey || altKey || key.length !== 1 || OTHER_USE.has(key)) return;
      if (isTyping(target) || document.querySelector(WINDOW)) return;
      const place = (target instanceof Element && target.closest(PANEL)) || document;
      // The current key then goes to the newly focused element.
      const field = heldField() ?? place.querySelector<HTMLElement>("textarea[data-composer]");
      field?.focus({ preventScroll: true });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
