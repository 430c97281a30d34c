import { endNext } from "../data/next-channel.ts";

/** The field that receives the keys for a channel until its composer exists. */
export type HeldField = {
  channelId: string;
  element: HTMLTextAreaElement;
  isComposing: boolean;
  /** The texts that Enter completed. */
  messages: string[];
};

export type HeldText = Pick<HeldField, "element" | "messages"> & { rest: string };

let present: HeldField | null = null;

/** Makes a field receive the keys. Call the returned function to stop. */
export function beginHolding(field: HeldField): () => void {
  present = field;
  return () => {
    if (present === field) present = null;
  };
}

/** Returns the field that receives the keys while the router opens a channel, or null. */
export const heldField = (): HTMLTextAreaElement | null => present?.element ?? null;

/** Moves the focus from the composer of a channel that is about to disappear to the field that holds the keys. */
export function leaveComposer(channelId: string): void {
  if (present && present.channelId !== channelId) present.element.focus({ preventScroll: true });
}

/**
 * Passes the text held for a channel to its composer, once an input method has completed its word. Call the
 * returned function to stop.
 */
export function whenHeld(channelId: string, receive: (text: HeldText) => void): () => void {
  const field = present;
  if (field?.channelId !== channelId) {
    endNext(channelId);
    return () => {};
  }
  const { element, messages } = field;
  const pass = () => {
    present = null;
    receive({ element, messages, rest: element.value });
    endNext(channelId);
  };
  if (!field.isComposing) pass();
  else element.addEventListener("compositionend", pass, { once: true });
  return () => element.removeEventListener("compositionend", pass);
}
