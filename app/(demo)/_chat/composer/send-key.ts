import type { KeyboardEvent } from "react";
import { hasKeys } from "../../_ui/text-field.tsx";

/**
 * Returns whether a key sends the message: Enter, except with Shift, and except on a touch screen, whose keyboard has
 * no other key for a line break. Ctrl or Cmd with Enter always sends.
 */
export const isSendKey = ({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === "Enter" && !shiftKey && (ctrlKey || metaKey || hasKeys());

/**
 * Returns whether a key belongs to an input method that is composing a word, which uses Enter and the arrows itself.
 */
export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === 229;
