"use client";

import { toast } from "../_ui/toast.tsx";
import { strings } from "./strings.en.ts";

async function copy(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    toast.error(strings.toast.copyBlocked);
  }
}

/** Copies the full address of a path to the clipboard, and tells the user whether that worked. */
export const copyLink = (path: string): Promise<void> =>
  copy(new URL(path, window.location.origin).href, strings.channel.linkCopied);

/** Copies text to the clipboard, and tells the user whether that worked. */
export const copyText = (text: string): Promise<void> => copy(text, strings.message.textCopied);

/** Copies code to the clipboard, and tells the user whether that worked. */
export const copyCode = (code: string): Promise<void> => copy(code, strings.message.codeCopied);
