"use client";

import { clsx } from "clsx";
import { useEffect, useSyncExternalStore } from "react";
import { useChat } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import type { ConnectionState } from "../data/model.ts";
import type { Presence } from "../data/presence.ts";
import { useIsOnline } from "../data/use-connection.ts";
import { strings } from "../strings.en.ts";

/** Age at which statuses are requested again while the reader is at the page. */
const REST_MS = 10_000;
/** Time after a reader's last movement during which they count as being at the page. */
const AT_PAGE_MS = 120_000;

/**
 * Requests the statuses of the people in view again while the connection is open, because Mattermost does not
 * report when others' statuses change. A page that is hidden, or that its reader has left, requests nothing
 * until they return.
 */
export function useFreshPresence(presence: Presence, connection: ConnectionState): void {
  const isOnline = useIsOnline();
  const isConnected = connection === "open" && isOnline;
  useEffect(() => {
    if (!isConnected) return;
    let movedAtMs = performance.now();
    const isVisible = () => document.visibilityState === "visible";
    const onMove = () => {
      movedAtMs = performance.now();
      presence.refresh(REST_MS);
    };
    const onReturn = () => {
      if (!isVisible()) return;
      movedAtMs = performance.now();
      presence.refresh();
    };
    const timer = setInterval(() => {
      if (isVisible() && performance.now() - movedAtMs < AT_PAGE_MS) presence.refresh(REST_MS);
    }, REST_MS);
    // A request whose connection was lost is repeated on the next connection.
    presence.connect((userIds, tell) => void chatClient.users.presence(userIds).then(tell, () => undefined));
    document.addEventListener("visibilitychange", onReturn);
    document.addEventListener("pointermove", onMove, { passive: true });
    document.addEventListener("keydown", onMove);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", onReturn);
      document.removeEventListener("pointermove", onMove);
      document.removeEventListener("keydown", onMove);
      presence.connect(null);
    };
  }, [presence, isConnected]);
}

/** Returns a person's status while they are shown, or undefined if the status is unknown. */
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

/** A dot for a person's status. Renders nothing if the server reported none. */
export function PresenceDot({ userId }: { userId: string }) {
  const status = usePresence(userId);
  const colour = status ? colours[status] : undefined;
  if (!colour) return null;
  return (
    <span
      role="img"
      data-presence
      aria-label={strings.presence[status ?? ""]}
      className={clsx("absolute end-0 bottom-0 size-2.5 rounded-full border-2 border-surface", colour)}
    />
  );
}

/** A person's presence in words, for places where a dot would be read out before the name. */
export function PresenceWords({ userId }: { userId: string }) {
  const status = usePresence(userId);
  return status && colours[status] ? <span>{strings.presence[status]}</span> : null;
}
