"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { FoundPosts } from "#lib/chat-client/index.ts";
import { queryKeys, rememberUsers } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import { type Channel, isSystemPost } from "../data/model.ts";
import { useChannels } from "../data/use-channels.ts";
import { fold } from "./rank.ts";

const MOST_CHANNELS = 10;
const PER_CHANNEL = 100;

/** The words that every message has to contain, anywhere, and the handles that it is narrowed to. */
type Wanted = { words: readonly string[]; from: readonly string[]; in: readonly string[] };

/** The handles behind a filter of a term for the server. */
const handlesIn = (term: string, filter: "from" | "in"): string[] =>
  [...term.matchAll(/(?:^|\s)(in|from):[~@]?(\S+)/gi)]
    .filter(([, kind]) => kind?.toLowerCase() === filter)
    .flatMap(([, , handle]) => handle?.toLowerCase() ?? []);

/**
 * Reads the latest messages of the channels in which something was said last, and finds what contains the words: ten
 * requests at most, one after the other.
 */
async function searchRecent(
  own: readonly Channel[],
  wanted: Wanted,
  signal: AbortSignal,
): Promise<FoundPosts> {
  const isEmptyOr = (list: readonly string[], value: string | undefined) =>
    list.length === 0 || list.includes(value ?? "");
  const channels = own
    .filter(({ name }) => isEmptyOr(wanted.in, name))
    .toSorted((a, b) => b.last_post_at - a.last_post_at)
    .slice(0, MOST_CHANNELS);
  const words = wanted.words.map(fold);
  const found: FoundPosts = { posts: [], users: {}, channels: {} };
  for (const { id } of channels) {
    const { posts, users } = await chatClient.posts.page(id, { perPage: PER_CHANNEL, signal });
    Object.assign(found.users, users);
    const matching = posts.filter((post) => {
      const text = fold(post.message);
      const isShown = post.delete_at === 0 && !isSystemPost(post);
      return isShown && words.every((word) => text.includes(word));
    });
    found.posts.push(...matching.filter(({ user_id }) => isEmptyOr(wanted.from, users[user_id]?.username)));
  }
  found.posts.sort((a, b) => b.create_at - a.create_at);
  return found;
}

/** What the latest messages contain, once `isOn`: also parts of words, which the server does not find. */
export function useRecentSearch(term: string, words: readonly string[], isOn: boolean) {
  const cache = useQueryClient();
  const own = useChannels().data ?? [];
  return useQuery({
    queryKey: queryKeys.recentSearch(term),
    enabled: isOn,
    staleTime: 5_000,
    queryFn: async ({ signal }) => {
      const wanted = { words, from: handlesIn(term, "from"), in: handlesIn(term, "in") };
      const found = await searchRecent(own, wanted, signal);
      rememberUsers(cache, Object.values(found.users));
      return found;
    },
  });
}
