import type { KeyboardEvent } from "react";
import { hasKeys } from "../../_ui/text-field.tsx";

/**
 * Returns whether a key sends what is written: Enter, but with Shift, or on a touch screen, where its keyboard has no
 * other key for a line break. Ctrl and Cmd with Enter send everywhere.
 */
export const isSendKey = ({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === "Enter" && !shiftKey && (ctrlKey || metaKey || hasKeys());

/** Returns whether a key is for the input method that composes a word: Enter and the arrows are its own then. */
export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === 229;
