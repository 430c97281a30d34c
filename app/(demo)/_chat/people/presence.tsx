"use client";

import { clsx } from "clsx";
import { useEffect, useSyncExternalStore } from "react";
import { useChat } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import type { ConnectionState } from "../data/model.ts";
import type { Presence } from "../data/presence.ts";
import { useIsOnline } from "../data/use-connection.ts";
import { strings } from "../strings.en.ts";

/** How long an answer is good enough for somebody who is at the page. */
const REST_MS = 60_000;

/**
 * Keeps the statuses of those who are shown true while the connection is up: by what the reader does, not by a clock, so
 * that a page nobody looks at asks for nothing.
 */
export function useFreshPresence(presence: Presence, connection: ConnectionState): void {
  const isOnline = useIsOnline();
  const isConnected = connection === "open" && isOnline;
  useEffect(() => {
    if (!isConnected) return;
    const onReturn = () => {
      if (document.visibilityState === "visible") presence.refresh();
    };
    const onMove = () => presence.refresh(REST_MS);
    // A question whose connection was lost is asked again on the next one.
    presence.connect((userIds, tell) => void chatClient.users.presence(userIds).then(tell, () => undefined));
    document.addEventListener("visibilitychange", onReturn);
    document.addEventListener("pointermove", onMove, { passive: true });
    document.addEventListener("keydown", onMove);
    return () => {
      document.removeEventListener("visibilitychange", onReturn);
      document.removeEventListener("pointermove", onMove);
      document.removeEventListener("keydown", onMove);
      presence.connect(null);
    };
  }, [presence, isConnected]);
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

const colours: Readonly<Record<string, string>> = {
  online: "bg-good",
  away: "bg-warn",
  dnd: "bg-danger",
};

/** A dot for whoever's status the server told of late; nothing for the others. */
export function PresenceDot({ userId }: { userId: string }) {
  const status = usePresence(userId);
  const colour = status ? colours[status] : undefined;
  if (!colour) return null;
  return (
    <span
      role="img"
      aria-label={strings.presence[status ?? ""]}
      className={clsx("absolute end-0 bottom-0 size-2.5 rounded-full border-2 border-surface", colour)}
    />
  );
}

/** The same in words, for a place where a dot would be read out before the name. */
export function PresenceWords({ userId }: { userId: string }) {
  const status = usePresence(userId);
  return status && colours[status] ? <span>{strings.presence[status]}</span> : null;
}
