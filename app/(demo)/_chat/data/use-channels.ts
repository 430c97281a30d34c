"use client";

import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useMemo, useState } from "react";
import { changeChannel, queryKeys, rememberUsers } from "./cache.ts";
import { isUnread, type Section, sectionsOf } from "./channels.ts";
import { chatClient } from "./chat-client.ts";
import type { Channel, User } from "./model.ts";

/** Returns the channels of the signed-in user, which the socket's events update. */
export const useChannels = () => useQuery(channelsQuery(useQueryClient()));

export const channelsQuery = (cache: QueryClient) =>
  queryOptions({
    queryKey: queryKeys.channels,
    queryFn: async ({ signal }): Promise<Channel[]> => {
      const channels = await chatClient.channels.list({ signal });
      rememberUsers(
        cache,
        channels.flatMap(({ directUser }) => directUser ?? []),
      );
      return channels;
    },
  });

type ChannelAct =
  | { channelId: string; act: "favorite" | "mute"; value: boolean }
  | { channelId: string; act: "notify"; value: Channel["notifyLevel"] };

const fields = { favorite: "isFavorite", mute: "isMuted", notify: "notifyLevel" } as const;

function sendAct({ channelId, act, value }: ChannelAct): Promise<void> {
  if (act === "notify") return chatClient.channels.setNotify(channelId, value);
  return act === "favorite"
    ? chatClient.channels.setFavorite(channelId, { favorite: value })
    : chatClient.channels.setMuted(channelId, { mute: value });
}

/**
 * Sets favourite, mute and notification level: shown immediately, and undone if refused, unless changed again
 * since.
 */
export function useChannelFlags() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: sendAct,
    // Fails immediately while offline, instead of waiting for a network with a value that only this page has.
    networkMode: "always",
    onMutate: ({ channelId, act, value }) => {
      const field = fields[act];
      const channels = cache.getQueryData<Channel[]>(queryKeys.channels);
      const before = channels?.find(({ id }) => id === channelId)?.[field];
      changeChannel(cache, channelId, (channel) => ({ ...channel, [field]: value }));
      return before;
    },
    onError: (_error, { channelId, act, value }, before) =>
      changeChannel(cache, channelId, (channel) =>
        channel[fields[act]] === value ? { ...channel, [fields[act]]: before } : channel,
      ),
  });
}

/** Joins and leaves channels, and refetches the list afterwards. */
export function useMembership() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ channelId, act }: { channelId: string; act: "join" | "leave" }) =>
      chatClient.channels[act](channelId),
    onSuccess: async (_answer, { channelId, act }) => {
      await cache.invalidateQueries({ queryKey: queryKeys.channels });
      if (act === "join") await cache.invalidateQueries({ queryKey: queryKeys.timelinesOf(channelId) });
    },
  });
}

/** Opens the conversation with a chain account and resolves to its channel's id. */
export function useOpenDirect() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (username: string) => {
      const channelId = await chatClient.users.openDirect(username);
      await cache.invalidateQueries({ queryKey: queryKeys.channels });
      return channelId;
    },
  });
}

type People = Readonly<Record<string, User>>;
const nobody: People = {};
const people = {
  queryKey: queryKeys.users,
  queryFn: () => nobody,
  // People are never fetched here, because a late answer would drop people added meanwhile.
  enabled: false,
  initialData: nobody,
  staleTime: Number.POSITIVE_INFINITY,
};

/** Returns a person by id, from all answers so far. */
export function useUser(userId: string): User | undefined {
  return useQuery({ ...people, select: (known) => known[userId] ?? null }).data ?? undefined;
}

/** Returns all people seen so far, by id. */
export function useUsers(): People {
  return useQuery(people).data;
}

const none: Channel[] = [];

/** Returns the sidebar's sections; the open channel stays among the unread ones until it is closed. */
export function useSections(): Section[] {
  const { data = none } = useChannels();
  const { channelId = null } = useParams<{ channelId?: string }>();
  const [keptId, setKeptId] = useState<string | null>(null);
  const open = data.find(({ id }) => id === channelId);
  const next = open && (open.id === keptId || isUnread(open)) ? open.id : null;
  if (next !== keptId) setKeptId(next);
  return useMemo(() => sectionsOf(data, next), [data, next]);
}
