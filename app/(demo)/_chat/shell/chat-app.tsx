"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type CSSProperties, type ReactNode, useEffect, useState } from "react";
import { Toaster } from "sonner";
import { ChatError } from "../../../../lib/chat-client/index.ts";
import { applyDensity } from "../../_ui/density.ts";
import { SessionGate } from "./session-gate.tsx";

const isWorthRetrying = (error: unknown) =>
  !(error instanceof ChatError) || error.status === 0 || error.status >= 500;

/** The chat with its query cache: data is fresh while the socket is up, so nothing is polled. */
export function ChatApp({ children }: { children: ReactNode }) {
  const [cache] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: {
            staleTime: Number.POSITIVE_INFINITY,
            refetchOnWindowFocus: false,
            retry: (failures, error) => failures < 2 && isWorthRetrying(error),
          },
        },
      }),
  );
  useEffect(applyDensity, []);
  return (
    <QueryClientProvider client={cache}>
      <SessionGate>{children}</SessionGate>
      <Toasts />
    </QueryClientProvider>
  );
}

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
function Toasts() {
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
