"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ChatError } from "../../../../lib/chat-client/index.ts";
import { SessionGate } from "./session-gate.tsx";
import { Toasts } from "./toasts.tsx";

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
  return (
    <QueryClientProvider client={cache}>
      <SessionGate>{children}</SessionGate>
      <Toasts />
    </QueryClientProvider>
  );
}
