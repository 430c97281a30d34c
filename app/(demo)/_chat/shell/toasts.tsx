"use client";

import type { CSSProperties } from "react";
import { Toaster } from "sonner";

const DURATION_MS = 5_000;

/** Under the channel's header, where neither the newest messages nor the composer are covered. */
const offset = { top: 72 };

const look = {
  "--normal-bg": "var(--raised)",
  "--normal-bg-hover": "var(--sunken)",
  "--normal-border": "var(--line)",
  "--normal-border-hover": "var(--line-strong)",
  "--normal-text": "var(--ink)",
  fontFamily: "inherit",
} as CSSProperties;

/** Short news about what was just done, in the colours of the page. */
export function Toasts() {
  return (
    <Toaster
      position="top-center"
      closeButton
      offset={offset}
      mobileOffset={offset}
      style={look}
      toastOptions={{ duration: DURATION_MS }}
    />
  );
}
