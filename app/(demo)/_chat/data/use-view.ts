"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from "react";
import { createExternalStore } from "../../_ui/external-store.ts";
import { changeChannel, queryKeys } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Channel, Post } from "./model.ts";

/**
 * The ids of the open channel and thread, with the time (ms) from which the user marked them as unread. The
 * mark lasts until the user leaves the place.
 */
const open = createExternalStore<ReadonlyMap<string, number | null>>(new Map());

function publish(id: string, since: number | null): void {
  open.publish(new Map(open.snapshot()).set(id, since));
}

/** Prevents an open channel or thread from being marked as read; `since` is in ms. */
export function keepUnread(id: string, since: number): void {
  if (since > 0 && open.snapshot().has(id)) publish(id, since);
}

/** Allows an open channel or thread to be marked as read again. */
export function endUnread(id: string): void {
  if (unreadSince(id) !== null) publish(id, null);
}

/**
 * Returns the time (ms) since which an open channel or thread stays unread, or null if it does not stay
 * unread or is not open.
 */
export function unreadSince(id: string): number | null {
  return open.snapshot().get(id) ?? null;
}

/** Opens a channel or thread, and returns the function that leaves it. */
export function openForReading(id: string): () => void {
  publish(id, null);
  return () => {
    const others = new Map(open.snapshot());
    others.delete(id);
    open.publish(others);
  };
}

/** The places whose end is being read in this window. Each has a lock, which other windows can see. */
const readPlaces = new Set<string>();
const lockOf = (id: string) => `hivegate.reading.${id}`;

/** Returns whether the end of an open channel or thread is being read in this window. */
export const isReading = (id: string): boolean => readPlaces.has(id);

/**
 * Returns whether the end of a place is being read in any window of this browser. A lock ends with its
 * window, so no window has to answer.
 */
export async function isReadAnywhere(id: string): Promise<boolean> {
  const locks = await navigator.locks?.query().catch(() => null);
  return locks?.held?.some(({ name }) => name === lockOf(id)) === true;
}

/** Reports that the end of a channel or thread is being read, for as long as `isRead` is true. */
export function useReading(id: string, isRead: boolean): void {
  useEffect(() => {
    if (!isRead) return;
    readPlaces.add(id);
    let leave = () => {};
    const isLeft = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // A page that is being closed gets no lock.
    navigator.locks?.request(lockOf(id), { mode: "shared" }, () => isLeft).catch(() => undefined);
    return () => {
      readPlaces.delete(id);
      leave();
    };
  }, [id, isRead]);
}

/** Marks a place as unread from a post onwards. @throws ChatError */
export async function markUnreadFrom(channelId: string, post: Post, areThreadsApart: boolean): Promise<void> {
  const placeId = areThreadsApart && post.rootId !== "" ? post.rootId : channelId;
  // The mark is set before the answer, because a reader at the end would otherwise mark the place as read
  // again.
  keepUnread(placeId, post.createAt - 1);
  try {
    await chatClient.posts.markUnread(channelId, post.id);
  } catch (error) {
    endUnread(placeId);
    throw error;
  }
}

/** Number of latest messages that are searched for one by another user. */
const LATEST = 40;

/**
 * Marks a channel as unread from the last message by another user, or from the last one if there is none.
 * @throws ChatError
 */
export async function markLatestUnread(channelId: string, myId: string, areThreadsApart: boolean) {
  const { posts } = await chatClient.posts.page(channelId, { perPage: LATEST });
  const counted = posts.filter(
    ({ rootId, deleteAt }) => (rootId === "" || !areThreadsApart) && deleteAt === 0,
  );
  const latest = counted.findLast(({ userId }) => userId !== myId) ?? counted.at(-1);
  if (latest) await markUnreadFrom(channelId, latest, areThreadsApart);
}

export function useUnreadSince(id: string): number | null {
  return useSyncExternalStore(
    open.subscribe,
    () => unreadSince(id),
    () => null,
  );
}

const AT_MOST_EVERY_MS = 2_000;
export const AFTER_FAILURES_MS = 60_000;

/** Marks a channel as read with one request, and then updates the cached counters without another request. */
export function useMarkRead() {
  const cache = useQueryClient();
  return async (channelId: string) => {
    const asked = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === channelId);
    await chatClient.channels.markViewed(channelId);
    changeChannel(cache, channelId, (channel) => {
      // An event or the list reported the mark before the answer, so the counted messages came after the
      // mark.
      if (!asked || channel.lastViewedAt > asked.lastViewedAt) return channel;
      // The answer may not count messages that arrived while it was pending.
      return {
        ...channel,
        messageCount: Math.max(0, channel.messageCount - asked.messageCount),
        mentionCount: Math.max(0, channel.mentionCount - asked.mentionCount),
        lastViewedAt: Math.max(channel.lastViewedAt, asked.lastPostAt),
      };
    });
    endUnread(channelId);
  };
}

/**
 * Marks the channel as read while its end is in view, at most every two seconds. After each failure the delay
 * of the retry doubles, up to a minute.
 */
export function useMarkReadWhileReading(channel: Channel | undefined, isReading: boolean) {
  const markRead = useEffectEvent(useMarkRead());
  const lastMarkedAt = useRef(Number.NEGATIVE_INFINITY);
  const [failures, setFailures] = useState(0);
  const channelId = channel?.id;
  const needsMarking =
    channel !== undefined &&
    (channel.messageCount > 0 || channel.mentionCount > 0 || channel.lastViewedAt < channel.lastPostAt);
  // A message that arrives after the mark needs another mark.
  const unmarkedTo = needsMarking ? channel.lastPostAt : null;

  useEffect(() => {
    if (!channelId || !isReading || unmarkedTo === null) return;
    const pause = Math.min(AT_MOST_EVERY_MS * 2 ** failures, AFTER_FAILURES_MS);
    const wait = Math.max(0, lastMarkedAt.current + pause - performance.now());
    const timer = setTimeout(() => {
      lastMarkedAt.current = performance.now();
      markRead(channelId).then(
        () => setFailures(0),
        () => setFailures((count) => count + 1),
      );
    }, wait);
    return () => clearTimeout(timer);
  }, [channelId, isReading, unmarkedTo, failures]);
}

const names = ["focus", "blur", "visibilitychange"];

function subscribe(listener: () => void) {
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
}

/** Returns whether this window has the focus. */
export function useWindowFocus(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.hasFocus(),
    () => true,
  );
}
