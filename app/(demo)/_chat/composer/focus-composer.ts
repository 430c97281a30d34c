/** A field that gets the focus on a touch screen opens the keyboard over what is read. */
const MOUSE = "(hover: hover) and (pointer: fine)";

/** Puts the cursor into the composer of a channel (`rootId` empty) or thread. */
export function focusComposer(rootId: string): void {
  document.querySelector<HTMLElement>(`textarea[data-composer="${rootId}"]`)?.focus({ preventScroll: true });
}

/** Whether what had the focus is gone, so that keys lead nowhere. */
export const isFocusLost = () => document.activeElement === null || document.activeElement === document.body;

/** Puts a lost focus into a composer, except on a touch screen. */
export function catchFocus(rootId: string): void {
  if (isFocusLost() && window.matchMedia(MOUSE).matches) focusComposer(rootId);
}
