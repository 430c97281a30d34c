"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { rememberUsers } from "../data/cache.ts";
import { channelName } from "../data/channel-name.ts";
import { chatClient } from "../data/chat-client.ts";
import { queryKeys } from "../data/query-keys.ts";
import { useChannels } from "../data/use-channels.ts";
import { pause } from "./pause.ts";

const ACCOUNT_NAME = /^[a-z][a-z0-9-]+(\.[a-z][a-z0-9-]+)*$/;
const SHOWN_AT_MOST = 30;
const SHORTEST_TERM = 2;

const isAccountName = (name: string) => name.length >= 3 && name.length <= 16 && ACCOUNT_NAME.test(name);

/** Conversations, channels to join, people and a chain name that fit what was typed. */
export function useFinder(text: string, myId: string) {
  const cache = useQueryClient();
  const term = text.trim().replace(/^@/, "").toLowerCase();
  const own = useChannels().data ?? [];
  const isAsking = [...term].length >= SHORTEST_TERM;

  const found = useQuery({
    queryKey: queryKeys.finder(term),
    enabled: isAsking,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      await pause(200, signal);
      const [channels, users] = await Promise.all([
        chatClient.channels.search(term, { signal }),
        chatClient.users.search(term, { signal }),
      ]);
      rememberUsers(cache, users);
      return { channels, users };
    },
  });

  const conversations = own
    .map((channel) => ({ channel, name: channelName(channel, myId) }))
    .filter(({ name, channel }) => name.toLowerCase().includes(term) || channel.name.includes(term))
    .sort((a, b) => b.channel.last_post_at - a.channel.last_post_at)
    .slice(0, SHOWN_AT_MOST);
  const ownIds = new Set(own.map(({ id }) => id));
  const partnerIds = new Set(own.flatMap(({ directUser }) => directUser?.id ?? []));
  const answer = isAsking ? found.data : undefined;
  const people = (answer?.users ?? []).filter(({ id }) => !partnerIds.has(id));
  const isKnown = [...own.map(({ directUser }) => directUser), ...(answer?.users ?? [])].some(
    (user) => user?.username === term,
  );
  return {
    conversations,
    joinable: (answer?.channels ?? []).filter(({ id }) => !ownIds.has(id)),
    people,
    newName: isAccountName(term) && !isKnown ? term : null,
    isSearching: isAsking && found.isFetching,
    isFailed: isAsking && found.isError,
  };
}
