"use client";

import { type InfiniteData, type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ThreadsPage } from "#lib/chat-client/index.ts";
import { queryKeys, rememberUsers } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";

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

const AT_MOST_EVERY_MS = 1_000;

/** Marks a thread as read up to its last reply while that is looked at. */
export function useMarkThreadRead(rootId: string, last: Post | undefined, isReading: boolean): void {
  const { data } = useInbox();
  const readUntil = useRef(0);
  const totalUnread = data?.pages[0]?.totalUnread ?? 0;
  const entry = data?.pages.flatMap(({ threads }) => threads).find(({ id }) => id === rootId);
  // One beyond the pages that were read may be unread too.
  const mayBeUnread = entry ? entry.unread_replies + entry.unread_mentions > 0 : totalUnread > 0;
  const until = last && last.root_id !== "" ? last.create_at : 0;

  useEffect(() => {
    if (!isReading || !mayBeUnread || until <= readUntil.current) return;
    const timer = setTimeout(() => {
      readUntil.current = until;
      // A thread that is not followed has nothing to mark; a mark that fails is made up for by the next visit.
      chatClient.threads.markRead(rootId, until).catch(() => undefined);
    }, AT_MOST_EVERY_MS / 2);
    return () => clearTimeout(timer);
  }, [rootId, until, isReading, mayBeUnread]);
}
