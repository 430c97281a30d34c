"use client";

import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { ChatError } from "#lib/chat-client/index.ts";
import { dropEarlyAnswers } from "../../_session/early-answers.ts";
import { whenIdle } from "../../_ui/when-idle.ts";
import { queryKeys } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import { type EventContext, followEvents } from "./events.ts";
import type { ConnectionState } from "./model.ts";
import { areThreadsApart } from "./use-inbox.ts";

/** The queries that events may have changed. */
const eventful: readonly QueryKey[] = [
  queryKeys.channels,
  queryKeys.inbox,
  queryKeys.timelines,
  queryKeys.threads,
  queryKeys.allPinned,
  queryKeys.allMembers,
  queryKeys.allMentions,
  queryKeys.searches,
  queryKeys.recentSearches,
  queryKeys.allFound,
  queryKeys.allBrowsed,
];

/**
 * Opens the tab's single connection and applies its events to the cache. If events were missed, the cache is
 * refetched.
 */
export function useConnection(
  context: Omit<
    EventContext,
    "cache" | "sayHere" | "refetchChannels" | "refetchLater" | "refetchInbox" | "areThreadsApart"
  >,
): ConnectionState {
  const cache = useQueryClient();
  const [connection, setConnection] = useState<ConnectionState>("closed");
  const present = useEffectEvent(() => context);

  useEffect(() => {
    const channels = createRefetchThrottle(() => refetch(cache, queryKeys.channels));
    const inbox = createRefetchThrottle(() => refetch(cache, queryKeys.inbox));
    const members = createRefetchThrottle(() => refetch(cache, queryKeys.allMembers));
    const later = createDelay(LATER_WITHIN_MS * Math.random(), () => {
      channels.ask();
      inbox.ask();
    });
    const readAgain = () => {
      for (const queryKey of eventful) void refetch(cache, queryKey);
      // Data from the device may not have been replaced by an answer yet.
      void cache.refetchQueries({ queryKey: queryKeys.me, stale: true });
    };
    let wasOpen = false;
    let stopWaiting = () => {};
    const stops = [
      followEvents(chatClient.on, () => ({
        ...present(),
        cache,
        sayHere: () => chatClient.sendActive({ isActive: true }),
        refetchChannels: channels.ask,
        refetchLater: later.ask,
        refetchInbox: inbox.ask,
        areThreadsApart: () => areThreadsApart(cache),
      })),
      chatClient.on("frame", ({ event }) => {
        // The user's preferences also decide whether threads are separate.
        if (event === "preferences_changed" || event === "preferences_deleted") inbox.ask();
        if (event === "channel_member_updated" || event === "memberrole_updated") members.ask();
      }),
      chatClient.on("user_added", members.ask),
      chatClient.on("user_removed", members.ask),
      chatClient.on("gap", () => {
        // Answers requested before the connection may be older than the data read now.
        dropEarlyAnswers();
        // When the connection first opens, the page shows data that was just read, so reading it again waits
        // until the browser is idle.
        if (wasOpen) readAgain();
        else stopWaiting = whenIdle(readAgain);
        wasOpen = true;
      }),
      chatClient.on("resumed", readAgain),
      chatClient.on("error", (error) => {
        if (!(error instanceof ChatError)) reportError(error);
        else if (error.status === 401) void cache.invalidateQueries({ queryKey: queryKeys.me });
      }),
    ];
    chatClient.connect();
    // The first connection is neither open nor lost until it has succeeded or failed.
    stops.push(chatClient.on("state", setConnection));
    // A socket that slept through an outage appears to be open.
    window.addEventListener("online", chatClient.reconnect);
    return () => {
      window.removeEventListener("online", chatClient.reconnect);
      later.stop();
      channels.stop();
      stopWaiting();
      inbox.stop();
      members.stop();
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

/** Returns whether the browser has a network. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
}

/**
 * Refetches a query. The library accepts a first fetch in progress as the refetch, although it began before
 * the reason for the refetch. So another fetch follows, unless the first failed, which is shown with a way to
 * retry.
 */
async function refetch(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  const queries = cache.getQueryCache().findAll({ queryKey });
  await Promise.allSettled(
    queries.map(async (query) => {
      const { data, fetchStatus } = query.state;
      if (data === undefined && fetchStatus === "fetching") await query.promise;
      await cache.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }),
  );
}

/** Pages that receive the same event at the same time spread their requests over this time. */
const LATER_WITHIN_MS = 10_000;

function createDelay(waitMs: number, act: () => void): RefetchThrottle {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask() {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, waitMs);
    },
    stop: () => clearTimeout(timer),
  };
}

const EVERY_MS = 1000;

/**
 * Throttles refetches: the first starts immediately, further ones at most once a second and never before the
 * last one has ended, however often they are requested.
 */
type RefetchThrottle = { ask(): void; stop(): void };

/**
 * Creates a refetch throttle, because many simultaneous events each report one change, and a single refetch
 * returns them all.
 */
export function createRefetchThrottle(read: () => Promise<void>): RefetchThrottle {
  let isBusy = false;
  let isAskedAgain = false;
  let isStopped = false;

  const begin = async () => {
    isBusy = true;
    isAskedAgain = false;
    await Promise.allSettled([read(), new Promise((resolve) => setTimeout(resolve, EVERY_MS))]);
    isBusy = false;
    if (isAskedAgain && !isStopped) void begin();
  };

  return {
    ask() {
      if (isBusy) isAskedAgain = true;
      else if (!isStopped) void begin();
    },
    stop() {
      isStopped = true;
    },
  };
}
