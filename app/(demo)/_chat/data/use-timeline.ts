"use client";

import {
  infiniteQueryOptions,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { type Pinned, queryKeys, rememberUsers } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";
import { type Opening, readLatest } from "./read-latest.ts";
import {
  keptPostsOf,
  NEXT_PAGE,
  type PageParam,
  paramOfNewer,
  paramOfOlder,
  placePage,
  postsOf,
  type Timeline,
  type TimelinePage,
} from "./timeline-pages.ts";

/** Resolves once messages that are being requested can be shown. */
type Prepare = () => Promise<void>;

/**
 * Returns a channel's messages, with older and newer ones on demand. It opens at the post `anchor` or,
 * without an anchor, at the end, with enough messages to include the unread ones.
 */
export function useTimeline(channelId: string, anchor: string | null, opening: Opening, prepare: Prepare) {
  return useInfiniteQuery(timelineQuery(useQueryClient(), channelId, anchor, opening, prepare));
}

export function timelineQuery(
  cache: QueryClient,
  channelId: string,
  anchor: string | null,
  opening: Opening,
  prepare: Prepare = async () => undefined,
) {
  const queryKey = queryKeys.timeline(channelId, anchor ?? "latest");
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: (anchor ? { around: anchor } : {}) as PageParam,
    queryFn: async ({ pageParam, signal }): Promise<TimelinePage> => {
      const isLatest = Object.keys(pageParam).length === 0;
      const isFurther = "before" in pageParam || "after" in pageParam;
      // A refetch covers the former range, so that readers further up stay there.
      const known = cache.getQueryData<Timeline>(queryKey);
      const held = isLatest && keptPostsOf(known).length === 0 ? postsOf(known).length : 0;
      // Messages shown from the device stay in place, so the answer reaches back to them.
      const oldestShown = () => keptPostsOf(cache.getQueryData<Timeline>(queryKey))[0]?.createAt;
      // Messages beside the shown ones must not change their height. The first ones wait in their list.
      const isPrepared = isFurther ? prepare() : undefined;
      const answer = isLatest
        ? await readLatest(channelId, { held, opening, oldestShown, signal })
        : await chatClient.posts.page(channelId, { ...pageParam, perPage: NEXT_PAGE, signal });
      await isPrepared;
      rememberUsers(cache, Object.values(answer.users));
      return placePage(answer, pageParam);
    },
    getPreviousPageParam: paramOfOlder,
    getNextPageParam: paramOfNewer,
  });
}

/** Returns a channel's pinned posts, newest first, updated by events. */
export function usePinned(channelId: string, isWanted = true) {
  const cache = useQueryClient();
  return useQuery({
    queryKey: queryKeys.pinned(channelId),
    enabled: isWanted && channelId !== "",
    queryFn: async ({ signal }): Promise<Pinned> => {
      const { posts, users, total } = await chatClient.channels.pinned(channelId, { signal });
      rememberUsers(cache, Object.values(users));
      return { posts, total };
    },
  });
}

/** Returns a thread's root and replies, oldest first. */
export function useThread(channelId: string, rootId: string, prepare: Prepare) {
  const cache = useQueryClient();
  return useQuery({
    queryKey: queryKeys.thread(rootId),
    queryFn: async ({ signal }): Promise<Post[]> => {
      const isPrepared = prepare();
      const answer = await chatClient.posts.page(channelId, { thread: rootId, signal });
      await isPrepared;
      rememberUsers(cache, Object.values(answer.users));
      return answer.posts;
    },
  });
}
