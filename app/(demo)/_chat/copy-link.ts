"use client";

import { toast } from "sonner";
import { messages } from "./messages.en.ts";

/** Puts the whole address of a path into the clipboard, and tells whether that worked. */
export async function copyLink(path: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(new URL(path, window.location.origin).href);
    toast(messages.channel.linkCopied);
  } catch {
    toast.error(messages.toast.failed);
  }
}
