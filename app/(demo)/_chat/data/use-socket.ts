"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../_session/api.ts";
import { renewChat } from "../../_session/renew-chat.ts";
import { type ChatSocket, type ConnectionState, createChatSocket } from "./chat-socket.ts";
import { type EventContext, eventHandlers } from "./events.ts";
import { queryKeys } from "./query-keys.ts";
import { refetch } from "./refetch.ts";
import { createRefetchThrottle } from "./refetch-throttle.ts";

/** Opens the tab's one socket and lets its events change the cache; missed events lead to a new reading. */
export function useSocket(context: Omit<EventContext, "cache" | "rereadChannels">) {
  const cache = useQueryClient();
  const [connection, setConnection] = useState<ConnectionState>("connecting");
  const socket = useRef<ChatSocket | null>(null);
  const latest = useRef(context);
  latest.current = context;

  useEffect(() => {
    const channels = createRefetchThrottle(() => refetch(cache, queryKeys.channels));
    const opened = createChatSocket(window.location.origin, {
      onFrame: (frame) =>
        eventHandlers[frame.event]?.({ ...latest.current, cache, rereadChannels: channels.ask }, frame),
      onState: setConnection,
      onGap: () => {
        for (const queryKey of [queryKeys.channels, queryKeys.timelines, queryKeys.threads])
          void refetch(cache, queryKey);
      },
      onRefused: () => {
        renewChat().then(
          () => opened.retry(),
          (error) => {
            if (!(error instanceof ApiError) || error.status !== 401) return;
            opened.close();
            setConnection("signed-out");
            void cache.invalidateQueries({ queryKey: queryKeys.me });
          },
        );
      },
    });
    socket.current = opened;
    const onOnline = () => opened.retry();
    window.addEventListener("online", onOnline);
    return () => {
      window.removeEventListener("online", onOnline);
      channels.stop();
      opened.close();
      socket.current = null;
    };
  }, [cache]);

  return { connection, socket };
}
