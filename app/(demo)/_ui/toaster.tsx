"use client";

import { type CSSProperties, useEffect } from "react";
import { Toaster, toast } from "sonner";

export type News = { text: string; isError: boolean };

const DURATION_MS = 5_000;

/** A position below the channel's header, where it covers neither the newest messages nor the composer. */
const offset = { top: 72 };

const look = {
  "--normal-bg": "var(--raised)",
  "--normal-bg-hover": "var(--sunken)",
  "--normal-border": "var(--line)",
  "--normal-border-hover": "var(--line-strong)",
  "--normal-text": "var(--ink)",
  fontFamily: "inherit",
} as CSSProperties;

/** Short messages about what was just done, in the colours of the page; `take` delivers them. */
export function NewsPills({ take }: { take: (show: (news: News) => void) => () => void }) {
  // Runs after the effect in which the pills start to listen.
  useEffect(() => take(({ text, isError }) => void (isError ? toast.error(text) : toast(text))), [take]);
  return (
    <Toaster
      position="top-center"
      closeButton
      offset={offset}
      mobileOffset={offset}
      style={look}
      toastOptions={{ duration: DURATION_MS, classNames: { toast: "toast-pill" } }}
    />
  );
}
