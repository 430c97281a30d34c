"use client";

import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { rememberUsers } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import { queryKeys } from "../data/query-keys.ts";
import { pause } from "./pause.ts";

const PAGE = 20;
const SHORTEST_TERM = 2;

/** Messages in one's own channels that match, newest first, a page at a time. */
export function useSearch(term: string) {
  const cache = useQueryClient();
  const isAsking = [...term].length >= SHORTEST_TERM;
  const { data, ...query } = useInfiniteQuery({
    queryKey: queryKeys.search(term),
    enabled: isAsking,
    // What is said meanwhile is found by the next search.
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      if (pageParam === 0) await pause(250, signal);
      const answer = await chatClient.posts.search(term, { page: pageParam, perPage: PAGE, signal });
      rememberUsers(cache, Object.values(answer.users));
      return answer;
    },
    getNextPageParam: (last, pages) => (last.posts.length === PAGE ? pages.length : undefined),
  });
  return { ...query, isAsking, pages: isAsking ? (data?.pages ?? []) : [] };
}
