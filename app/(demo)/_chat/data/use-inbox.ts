"use client";

import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ChatError, type ThreadsPage } from "#lib/chat-client/index.ts";
import { queryKeys, rememberUsers } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";
import {
  AFTER_FAILURES_MS,
  endUnread,
  keepUnread,
  openForReading,
  unreadSince,
  useReading,
  useUnreadSince,
} from "./use-view.ts";

const PAGE = 25;

type Inbox = InfiniteData<ThreadsPage, string | undefined>;

/** Returns the threads that the user follows, by latest reply. The socket's events cause a refetch. */
export function useInbox() {
  const cache = useQueryClient();
  return useInfiniteQuery({
    queryKey: queryKeys.inbox,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: before, signal }) => {
      const page = await chatClient.threads.list({ ...(before && { before }), perPage: PAGE, signal });
      rememberUsers(cache, Object.values(page.users));
      return page;
    },
    getNextPageParam: ({ hasMore, threads }) => (hasMore ? threads.at(-1)?.id : undefined),
  });
}

/** Returns the unread counts of separate threads, or null if replies count as messages of their channels. */
export function useThreadNews(): Pick<ThreadsPage, "totalUnread" | "totalMentions"> | null {
  const first = useInbox().data?.pages[0];
  return first?.isCollapsed ? first : null;
}

/** Returns whether replies count only in their thread, or undefined until the inbox has loaded. */
export function areThreadsApart(cache: QueryClient): boolean | undefined {
  return cache.getQueryData<Inbox>(queryKeys.inbox)?.pages[0]?.isCollapsed;
}

const PATIENCE_MS = 1_000;

/** Returns true during the first second after the component appears. */
function useIsPatient(): boolean {
  const [isPatient, setIsPatient] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setIsPatient(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isPatient;
}

/**
 * Returns whether replies show only in their threads: undefined until the inbox has loaded, and true if it
 * can't load. `isAwaited` is true while the inbox loads, for up to a second.
 */
export function useAreThreadsApart(): { isApart: boolean | undefined; isAwaited: boolean } {
  const { data, isPending, isPaused, failureCount } = useInbox();
  const isPatient = useIsPatient();
  const isComing = isPending && !isPaused && failureCount === 0;
  return {
    isApart: data?.pages[0]?.isCollapsed ?? (isComing ? undefined : true),
    isAwaited: isComing && isPatient,
  };
}

const AT_MOST_EVERY_MS = 1_000;

/**
 * Returns what the inbox says about a thread: until when the user has read it, and whether it is or may be
 * unread.
 */
function useThreadView(rootId: string) {
  const { data, isPending, isPaused, failureCount } = useInbox();
  const first = data?.pages[0];
  const entry = data?.pages.flatMap(({ threads }) => threads).find(({ id }) => id === rootId);
  const unread = entry ? entry.unreadReplies + entry.unreadMentions : 0;
  return {
    isAwaited: isPending && !isPaused && failureCount === 0,
    viewedAt: entry?.lastViewedAt ?? null,
    isUnread: unread > 0,
    // A thread beyond the loaded pages may be unread too.
    mayBeUnread: entry ? unread > 0 : (first?.totalUnread ?? 0) > 0,
    isApart: first?.isCollapsed === true,
  };
}

/**
 * Returns the time (ms) after which the replies of an open thread are new: null if none are, or if the inbox
 * did not load within a second; undefined until then.
 */
export function useThreadOpening(rootId: string): number | null | undefined {
  const { isAwaited, isApart, isUnread, viewedAt } = useThreadView(rootId);
  const isPatient = useIsPatient();
  const [opening, setOpening] = useState<number | null>();
  const since = useUnreadSince(rootId);
  useEffect(() => openForReading(rootId), [rootId]);
  if (opening === undefined && !(isAwaited && isPatient) && since === null)
    setOpening(isApart && isUnread ? viewedAt : null);
  if (since !== null && since !== opening) setOpening(since);
  return opening;
}

/**
 * Marks a thread as read up to its last reply while the thread is in view, unless the user marked it as
 * unread. After each failure the delay of the retry doubles, up to a minute.
 */
export function useMarkThreadRead(rootId: string, last: Post | undefined, isLooking: boolean): void {
  const { viewedAt, isUnread, mayBeUnread } = useThreadView(rootId);
  const readUntil = useRef(0);
  const [failures, setFailures] = useState(0);
  const known = useRef({ viewedAt, isUnread });
  const until = last && last.rootId !== "" ? last.createAt : 0;
  const isReading = useUnreadSince(rootId) === null && isLooking;
  useReading(rootId, isReading);

  useEffect(() => {
    const before = known.current;
    known.current = { viewedAt, isUnread };
    // The time only goes back if the thread is marked as unread, here or elsewhere.
    if (isUnread && viewedAt !== null && viewedAt < (before.viewedAt ?? 0)) keepUnread(rootId, viewedAt);
    else if (before.isUnread && !isUnread) endUnread(rootId);
  }, [rootId, viewedAt, isUnread]);

  useEffect(() => {
    if (!isReading || !mayBeUnread || until <= readUntil.current) return;
    const wait = Math.min((AT_MOST_EVERY_MS / 2) * 2 ** failures, AFTER_FAILURES_MS);
    const timer = setTimeout(() => {
      // Another window may mark the thread as unread in the very answer that triggered this effect.
      if (unreadSince(rootId) !== null) return;
      readUntil.current = until;
      chatClient.threads.markRead(rootId, until).then(
        () => setFailures(0),
        (error) => {
          // A thread that is not followed has no read state to change.
          if (error instanceof ChatError && [403, 404].includes(error.status)) return;
          readUntil.current = 0;
          setFailures((count) => count + 1);
        },
      );
    }, wait);
    return () => clearTimeout(timer);
  }, [rootId, until, isReading, mayBeUnread, failures]);
}
