"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { FoundPosts } from "#lib/chat-client/index.ts";
import { queryKeys, rememberUsers } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import { type Channel, isSystemPost } from "../data/model.ts";
import { useChannels } from "../data/use-channels.ts";
import { isSought, isSoughtIn, readSought, type Sought } from "./sought.ts";

const MOST_CHANNELS = 10;
const PER_CHANNEL = 100;

/**
 * Reads the latest messages of the most recently active channels, with up to ten requests one after the
 * other, and finds those that contain the words.
 */
async function searchRecent(
  own: readonly Channel[],
  sought: Sought,
  signal: AbortSignal,
): Promise<FoundPosts> {
  const channels = own
    .filter(({ name }) => isSoughtIn(sought, name))
    .toSorted((a, b) => b.lastPostAt - a.lastPostAt)
    .slice(0, MOST_CHANNELS);
  const found: FoundPosts = { posts: [], users: {}, channels: {} };
  for (const { id } of channels) {
    const { posts, users } = await chatClient.posts.page(id, { perPage: PER_CHANNEL, signal });
    Object.assign(found.users, users);
    const matching = posts.filter((post) => {
      const isShown = post.deleteAt === 0 && !isSystemPost(post);
      const author = users[post.userId]?.username;
      return isShown && isSought(sought, { message: post.message, author, at: post.createAt });
    });
    found.posts.push(...matching);
  }
  found.posts.sort((a, b) => b.createAt - a.createAt);
  return found;
}

/** Searches the latest messages once `isOn`, including for parts of words, which the server does not find. */
export function useRecentSearch(term: string, isOn: boolean) {
  const cache = useQueryClient();
  const own = useChannels().data ?? [];
  return useQuery({
    queryKey: queryKeys.recentSearch(term),
    enabled: isOn,
    staleTime: 5_000,
    queryFn: async ({ signal }) => {
      const found = await searchRecent(own, readSought(term), signal);
      rememberUsers(cache, Object.values(found.users));
      return found;
    },
  });
}
