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

/** The threads that the user follows, latest reply first; read again by the socket's events. */
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

/** What is unread in threads that are kept apart; null where replies count as messages of their channels. */
export function useThreadNews(): Pick<ThreadsPage, "totalUnread" | "totalMentions"> | null {
  const first = useInbox().data?.pages[0];
  return first?.isCollapsed ? first : null;
}

/** Whether a reply counts in its thread alone; undefined until the inbox has told. */
export function areThreadsApart(cache: QueryClient): boolean | undefined {
  return cache.getQueryData<Inbox>(queryKeys.inbox)?.pages[0]?.isCollapsed;
}

const PATIENCE_MS = 1_000;

/** True for a second. */
function useIsPatient(): boolean {
  const [isPatient, setIsPatient] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setIsPatient(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isPatient;
}

/**
 * Whether replies show in their threads alone: undefined until the inbox has told, and true where it can't. Awaited for a
 * second.
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

/** Where the user stopped in a thread that counts apart: null where nothing in it is unread, or that is not known. */
function useThreadView(rootId: string) {
  const { data, isPending, isPaused, failureCount } = useInbox();
  const first = data?.pages[0];
  const entry = data?.pages.flatMap(({ threads }) => threads).find(({ id }) => id === rootId);
  const unread = entry ? entry.unread_replies + entry.unread_mentions : 0;
  return {
    isAwaited: isPending && !isPaused && failureCount === 0,
    viewedAt: entry?.last_viewed_at ?? null,
    isUnread: unread > 0,
    // One beyond the pages that were read may be unread too.
    mayBeUnread: entry ? unread > 0 : (first?.totalUnread ?? 0) > 0,
    isApart: first?.isCollapsed === true,
  };
}

/**
 * The time (ms) after which the replies of an open thread are new; null where none is, or the inbox did not tell within
 * a second, and undefined until then.
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
 * Marks a thread as read up to its last reply while that is looked at, unless the user marked it as unread; after each
 * failure once more after twice the time, a minute at most.
 */
export function useMarkThreadRead(rootId: string, last: Post | undefined, isLooking: boolean): void {
  const { viewedAt, isUnread, mayBeUnread } = useThreadView(rootId);
  const readUntil = useRef(0);
  const [failures, setFailures] = useState(0);
  const known = useRef({ viewedAt, isUnread });
  const until = last && last.root_id !== "" ? last.create_at : 0;
  const isReading = useUnreadSince(rootId) === null && isLooking;
  useReading(rootId, isReading);

  useEffect(() => {
    const before = known.current;
    known.current = { viewedAt, isUnread };
    // Only a mark as unread, here or elsewhere, sets the time back.
    if (isUnread && viewedAt !== null && viewedAt < (before.viewedAt ?? 0)) keepUnread(rootId, viewedAt);
    else if (before.isUnread && !isUnread) endUnread(rootId);
  }, [rootId, viewedAt, isUnread]);

  useEffect(() => {
    if (!isReading || !mayBeUnread || until <= readUntil.current) return;
    const wait = Math.min((AT_MOST_EVERY_MS / 2) * 2 ** failures, AFTER_FAILURES_MS);
    const timer = setTimeout(() => {
      // The mark of another window may come with the very reading that made this begin.
      if (unreadSince(rootId) !== null) return;
      readUntil.current = until;
      chatClient.threads.markRead(rootId, until).then(
        () => setFailures(0),
        (error) => {
          // A thread that is not followed has nothing to mark.
          if (error instanceof ChatError && [403, 404].includes(error.status)) return;
          readUntil.current = 0;
          setFailures((count) => count + 1);
        },
      );
    }, wait);
    return () => clearTimeout(timer);
  }, [rootId, until, isReading, mayBeUnread, failures]);
}
