"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { rememberUsers } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";
import { queryKeys } from "./query-keys.ts";

/** A thread's root and replies, oldest first. */
export function useThread(channelId: string, rootId: string) {
  const cache = useQueryClient();
  return useQuery({
    queryKey: queryKeys.thread(rootId),
    queryFn: async ({ signal }): Promise<Post[]> => {
      const answer = await chatClient.posts.page(channelId, { thread: rootId, signal });
      rememberUsers(cache, Object.values(answer.users));
      return answer.posts;
    },
  });
}
