"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callChat } from "../../_session/call-chat.ts";
import { rememberUsers } from "./cache.ts";
import type { Post, PostsAnswer } from "./model.ts";
import { queryKeys } from "./query-keys.ts";

/** A thread's root and replies, oldest first. */
export function useThread(channelId: string, rootId: string) {
  const cache = useQueryClient();
  return useQuery({
    queryKey: queryKeys.thread(rootId),
    queryFn: async ({ signal }): Promise<Post[]> => {
      const answer = await callChat<PostsAnswer>(`/channels/${channelId}/posts?thread=${rootId}`, { signal });
      rememberUsers(cache, Object.values(answer.users));
      return answer.posts;
    },
  });
}
