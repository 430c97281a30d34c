"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { ChatError } from "../../../../lib/chat-client/index.ts";
import { queryKeys } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import { type EventContext, followEvents } from "./events.ts";
import type { ConnectionState } from "./model.ts";
import { createRefetchThrottle, refetch } from "./refetch.ts";
import { areThreadsApart } from "./use-inbox.ts";

/** Opens the tab's one connection and lets its events change the cache; missed events lead to a new reading. */
export function useConnection(
  context: Omit<EventContext, "cache" | "rereadChannels" | "rereadInbox" | "areThreadsApart">,
): ConnectionState {
  const cache = useQueryClient();
  const [connection, setConnection] = useState<ConnectionState>("connecting");
  const latest = useRef(context);
  latest.current = context;

  useEffect(() => {
    const channels = createRefetchThrottle(() => refetch(cache, queryKeys.channels));
    const inbox = createRefetchThrottle(() => refetch(cache, queryKeys.inbox));
    const stops = [
      followEvents(chatClient.on, () => ({
        ...latest.current,
        cache,
        rereadChannels: channels.ask,
        rereadInbox: inbox.ask,
        areThreadsApart: () => areThreadsApart(cache),
      })),
      chatClient.on("frame", ({ event }) => {
        // Whether threads are kept apart is a setting of the server or of its user.
        if (event === "preferences_changed" || event === "config_changed") inbox.ask();
      }),
      chatClient.on("state", setConnection),
      chatClient.on("gap", () => {
        for (const queryKey of [queryKeys.channels, queryKeys.inbox, queryKeys.timelines, queryKeys.threads])
          void refetch(cache, queryKey);
      }),
      chatClient.on("error", (error) => {
        if (!(error instanceof ChatError)) reportError(error);
        else if (error.status === 401) void cache.invalidateQueries({ queryKey: queryKeys.me });
      }),
    ];
    chatClient.connect();
    // A socket that slept through an outage seems to be open.
    window.addEventListener("online", chatClient.reconnect);
    return () => {
      window.removeEventListener("online", chatClient.reconnect);
      channels.stop();
      inbox.stop();
      for (const stop of stops) stop();
      chatClient.disconnect();
    };
  }, [cache]);

  return connection;
}

const subscribe = (listener: () => void) => {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
};

/** Whether the browser knows of a network. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
}
