"use client";

import { type RefObject, useEffect, useSyncExternalStore } from "react";
import { useChat } from "../chat-context.ts";
import type { ChatSocket, ConnectionState } from "./chat-socket.ts";
import type { Presence } from "./presence.ts";
import { useIsOnline } from "./use-is-online.ts";

const ASK_EVERY_MS = 60_000;

/** Keeps the statuses of those who are shown true while the socket is up and the page is looked at. */
export function useFreshPresence(
  presence: Presence,
  connection: ConnectionState,
  socket: RefObject<ChatSocket | null>,
): void {
  const isOnline = useIsOnline();
  const isConnected = connection === "open" && isOnline;
  useEffect(() => {
    if (!isConnected) return;
    const refresh = () => {
      if (document.visibilityState === "visible") presence.refresh();
    };
    presence.connect((userIds, tell) => socket.current?.askStatuses(userIds, tell));
    const timer = setInterval(refresh, ASK_EVERY_MS);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refresh);
      presence.connect(null);
    };
  }, [presence, isConnected, socket]);
}

/** The status of a person while they are shown; undefined where nothing is known. */
export function usePresence(userId: string): string | undefined {
  const { presence } = useChat();
  useEffect(() => presence.show(userId), [presence, userId]);
  return useSyncExternalStore(
    presence.subscribe,
    () => presence.snapshot()[userId],
    () => undefined,
  );
}
