import type { ClipboardEvent } from "react";
import { toast } from "../../_ui/toast.tsx";
import { strings } from "../strings.en.ts";
import { MAX_CHARACTERS, MAX_TYPED } from "./typed-text.ts";

/**
 * Rejects a paste that would make the text too long for any message, and says so. The clipboard still holds
 * all of it.
 */
export function refuseLongPaste(event: ClipboardEvent<HTMLTextAreaElement>): void {
  const { length } = event.clipboardData.getData("text/plain");
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  if (value.length - (selectionEnd - selectionStart) + length <= MAX_TYPED) return;
  event.preventDefault();
  toast.error(strings.composer.pastedTooLong(length, MAX_CHARACTERS));
}
