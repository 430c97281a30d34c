"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from "react";
import { createExternalStore } from "../../_ui/external-store.ts";
import { changeChannel, queryKeys } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Channel, Post } from "./model.ts";

/**
 * The open channel and thread by their ids; with a time (ms) the user marked it as unread from then on, which it stays
 * until it is left.
 */
const open = createExternalStore<ReadonlyMap<string, number | null>>(new Map());

function publish(id: string, since: number | null): void {
  open.publish(new Map(open.snapshot()).set(id, since));
}

/** Keeps a channel or thread, where it is open, from being taken as read; `since` is in ms. */
export function keepUnread(id: string, since: number): void {
  if (since > 0 && open.snapshot().has(id)) publish(id, since);
}

/** Lets an open channel or thread be taken as read again. */
export function endUnread(id: string): void {
  if (unreadSince(id) !== null) publish(id, null);
}

/** Since when (ms) an open channel or thread is to stay unread; null where it is not, or is not open. */
export function unreadSince(id: string): number | null {
  return open.snapshot().get(id) ?? null;
}

/** Opens a channel or thread until it is left. Returns how to leave it. */
export function openForReading(id: string): () => void {
  publish(id, null);
  return () => {
    const others = new Map(open.snapshot());
    others.delete(id);
    open.publish(others);
  };
}

/** What is being read to its end in this window; each has a lock, by which other windows know of it. */
const readPlaces = new Set<string>();
const lockOf = (id: string) => `hivegate.reading.${id}`;

/** Whether an open channel or thread is being read to its end in this window. */
export const isReading = (id: string): boolean => readPlaces.has(id);

/** Whether that is so in any window of this browser: a lock ends with its window, so that none has to answer. */
export async function isReadAnywhere(id: string): Promise<boolean> {
  const locks = await navigator.locks?.query().catch(() => null);
  return locks?.held?.some(({ name }) => name === lockOf(id)) === true;
}

/** Tells that a channel or thread is being read to its end, as long as it is. */
export function useReading(id: string, isRead: boolean): void {
  useEffect(() => {
    if (!isRead) return;
    readPlaces.add(id);
    let leave = () => {};
    const isLeft = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // Of a page that is going away none is given.
    navigator.locks?.request(lockOf(id), { mode: "shared" }, () => isLeft).catch(() => undefined);
    return () => {
      readPlaces.delete(id);
      leave();
    };
  }, [id, isRead]);
}

/** Marks the place where a post counts as unread from there. @throws ChatError */
export async function markUnreadFrom(channelId: string, post: Post, areThreadsApart: boolean): Promise<void> {
  const placeId = areThreadsApart && post.root_id !== "" ? post.root_id : channelId;
  // Done before the answer: whoever looks at the end is about to read it again.
  keepUnread(placeId, post.create_at - 1);
  try {
    await chatClient.posts.markUnread(channelId, post.id);
  } catch (error) {
    endUnread(placeId);
    throw error;
  }
}

/** How far back a message of somebody else is looked for. */
const LATEST = 40;

/** Marks a channel as unread from the last message of somebody else, or the last one at all. @throws ChatError */
export async function markLatestUnread(channelId: string, myId: string, areThreadsApart: boolean) {
  const { posts } = await chatClient.posts.page(channelId, { perPage: LATEST });
  const counted = posts.filter(
    ({ root_id, delete_at }) => (root_id === "" || !areThreadsApart) && delete_at === 0,
  );
  const latest = counted.findLast(({ user_id }) => user_id !== myId) ?? counted.at(-1);
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

/** Marks a channel as read: one request, and the counters here follow without another. */
export function useMarkRead() {
  const cache = useQueryClient();
  return async (channelId: string) => {
    const asked = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === channelId);
    await chatClient.channels.markViewed(channelId);
    changeChannel(cache, channelId, (channel) => {
      // An event, or the list, told of the mark before its answer: what counts by now came after it.
      if (!asked || channel.last_viewed_at > asked.last_viewed_at) return channel;
      // What came while the answer was under way may not be in it.
      return {
        ...channel,
        message_count: Math.max(0, channel.message_count - asked.message_count),
        mention_count: Math.max(0, channel.mention_count - asked.mention_count),
        last_viewed_at: Math.max(channel.last_viewed_at, asked.last_post_at),
      };
    });
    endUnread(channelId);
  };
}

/**
 * Marks the channel as read while its end is in view, at most every two seconds, and after each failure after twice the
 * time, a minute at most.
 */
export function useMarkReadWhileReading(channel: Channel | undefined, isReading: boolean) {
  const markRead = useEffectEvent(useMarkRead());
  const lastMarkedAt = useRef(Number.NEGATIVE_INFINITY);
  const [failures, setFailures] = useState(0);
  const channelId = channel?.id;
  const needsMarking =
    channel !== undefined &&
    (channel.message_count > 0 || channel.mention_count > 0 || channel.last_viewed_at < channel.last_post_at);
  // A message that comes after a mark needs another.
  const unmarkedTo = needsMarking ? channel.last_post_at : null;

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

/** Whether the user is in this window. */
export function useWindowFocus(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.hasFocus(),
    () => true,
  );
}
