"use client";

import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { queryKeys, rememberUsers } from "../data/cache.ts";
import { channelName, mentionsAmong } from "../data/channels.ts";
import { chatClient } from "../data/chat-client.ts";
import { fetchFurther } from "../data/fetch-further.ts";
import { useChannels, useUsers } from "../data/use-channels.ts";
import { fold, rankOf } from "./rank.ts";

const PAGE = 20;
const SHORTEST_TERM = 2;
/** Maximum number of messages that the server finds for one term. */
const MOST_FOUND = 100;

/**
 * Searches the reader's channels for messages that match a term in the server's language, newest first, a
 * page at a time, once the term `isReady`.
 */
export function useSearch(term: string, isReady: boolean) {
  const cache = useQueryClient();
  const isAsking = [...term].length >= SHORTEST_TERM;
  const { data, ...query } = useInfiniteQuery({
    queryKey: queryKeys.search(term),
    enabled: isAsking && isReady,
    // After this time the same search runs again, to find messages written meanwhile.
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      if (pageParam === 0) await pause(250, signal);
      const answer = await chatClient.posts.search(term, { page: pageParam, perPage: PAGE, signal });
      rememberUsers(cache, Object.values(answer.users));
      return answer;
    },
    getNextPageParam: (last, pages) =>
      last.posts.length === PAGE && pages.length * PAGE < MOST_FOUND ? pages.length : undefined,
  });
  const pages = isAsking ? (data?.pages ?? []) : [];
  return {
    ...query,
    isAsking,
    pages,
    isFull: pages.length * PAGE >= MOST_FOUND && pages.at(-1)?.posts.length === PAGE,
  };
}

/**
 * Lists messages by others that mention the reader, newest first, a page at a time, and reloads when there
 * are more.
 */
export function useMentions() {
  const cache = useQueryClient();
  const unread = mentionsAmong(useChannels().data ?? []);
  return useInfiniteQuery({
    queryKey: queryKeys.mentions(unread),
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const answer = await chatClient.posts.mentions({ page: pageParam, perPage: PAGE, signal });
      rememberUsers(cache, Object.values(answer.users));
      return answer;
    },
    getNextPageParam: (last, pages) => (last.posts.length === PAGE ? pages.length : undefined),
  });
}

const MOST_NAMES = 3;

/**
 * Asks the server for people whom this tab has not seen, by the beginnings of their names, and adds them to
 * the people seen. Returns true while more people may arrive.
 */
export function useMeeting(names: readonly string[]): boolean {
  const cache = useQueryClient();
  const met = new Set(Object.values(useUsers()).map(({ username }) => username));
  const terms = names
    .map((name) => name.trim().toLowerCase())
    .filter((term) => [...term].length >= FINDER_SHORTEST_TERM && !met.has(term));
  const queries = [...new Set(terms)].slice(0, MOST_NAMES).map((term) => ({
    ...peopleLike(cache, term),
    // If the server does not answer, the name is searched as typed.
    retry: false,
  }));
  return useQueries({ queries }).some(({ isFetching }) => isFetching);
}

/** Returns the query for people whose names start with a term. */
const peopleLike = (cache: QueryClient, term: string) =>
  queryOptions({
    queryKey: queryKeys.finder(term),
    staleTime: 10_000,
    queryFn: async ({ signal }) => {
      await pause(200, signal);
      const users = await chatClient.users.search(term, { signal });
      rememberUsers(cache, users);
      return users;
    },
  });

const ACCOUNT_NAME = /^[a-z][a-z0-9-]+(\.[a-z][a-z0-9-]+)*$/;
const SHOWN_AT_MOST = 30;
const FINDER_SHORTEST_TERM = 2;

/** Group names and the server's own name, to which no one can write. */
const RESERVED: readonly string[] = ["all", "channel", "here", "system"];

const isAccountName = (name: string) =>
  name.length >= 3 && name.length <= 16 && ACCOUNT_NAME.test(name) && !RESERVED.includes(name);

/** Returns the items that match a term, best first. Equally good matches keep their order. */
function bestFirst<Thing>(
  term: string,
  things: readonly Thing[],
  namesOf: (thing: Thing) => [string, string],
) {
  const wanted = fold(term);
  return things
    .flatMap((thing) => {
      const rank = rankOf(wanted, ...namesOf(thing));
      return rank === null ? [] : [{ thing, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ thing }) => thing);
}

/**
 * Puts matches by name first, because the server also finds items by other texts, such as a purpose. The
 * order is otherwise unchanged.
 */
function namedFirst<Thing>(
  term: string,
  things: readonly Thing[],
  namesOf: (thing: Thing) => [string, string],
): Thing[] {
  return [...new Set([...bestFirst(term, things, namesOf), ...things])];
}

/** Returns conversations, channels to join, people and a chain account that match the text, best first. */
export function useFinder(text: string, myId: string) {
  const cache = useQueryClient();
  const term = text.trim().replace(/^@/, "").toLowerCase();
  const own = useChannels().data ?? [];
  const isAsking = [...term].length >= FINDER_SHORTEST_TERM;

  const found = useQuery({
    ...peopleLike(cache, term),
    enabled: isAsking,
    placeholderData: keepPreviousData,
  });
  const browse = usePublicChannels(term);

  const latestFirst = own
    .map((channel) => ({ channel, name: channelName(channel, myId) }))
    .sort((a, b) => b.channel.lastPostAt - a.channel.lastPostAt);
  const conversations = bestFirst(term, latestFirst, ({ channel, name }) => [name, channel.name]).slice(
    0,
    SHOWN_AT_MOST,
  );
  const ownIds = new Set(own.map(({ id }) => id));
  const partnerIds = new Set(own.flatMap(({ directUser }) => directUser?.id ?? []));
  const answer = isAsking ? found.data : undefined;
  const strangers = (answer ?? []).filter(({ id }) => !partnerIds.has(id));
  const people = namedFirst(term, strangers, ({ username, firstName, lastName }) => [
    username,
    `${firstName} ${lastName}`,
  ]);
  const isKnown = [...own.map(({ directUser }) => directUser), ...(answer ?? [])].some(
    (user) => user?.username === term,
  );
  return {
    conversations,
    joinable: namedFirst(
      term,
      browse.channels.filter(({ id }) => !ownIds.has(id)),
      ({ displayName, name }) => [displayName, name],
    ),
    hasMore: browse.hasNextPage,
    more: browse.fetchMore,
    people,
    newName: isAccountName(term) && !isKnown ? term : null,
    isSearching: (isAsking && found.isFetching) || browse.isFetching,
    isFailed: (isAsking && found.isError) || browse.isError,
  };
}

const CHANNELS_PAGE = 25;

/** Lists public channels by title, or those that match a term of two characters or more, a page at a time. */
function usePublicChannels(term: string) {
  const isAsking = term === "" || [...term].length >= FINDER_SHORTEST_TERM;
  const { data, ...query } = useInfiniteQuery({
    queryKey: queryKeys.browse(term),
    enabled: isAsking,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: async ({ pageParam: page, signal }) => {
      if (term !== "" && page === 0) await pause(200, signal);
      return chatClient.channels.browse({ page, perPage: CHANNELS_PAGE, signal, ...(term && { q: term }) });
    },
    getNextPageParam: ({ hasMore }, pages) => (hasMore ? pages.length : undefined),
  });
  const pages = isAsking ? (data?.pages ?? []) : [];
  return {
    ...query,
    isFetching: isAsking && query.isFetching,
    isError: isAsking && query.isError,
    hasNextPage: isAsking && query.hasNextPage,
    fetchMore: () => void fetchFurther(query.fetchNextPage, data?.pages.length ?? 0),
    // A channel created between two pages may be on both.
    channels: [...new Map(pages.flatMap((page) => page.channels).map((one) => [one.id, one])).values()],
  };
}

/**
 * Waits, so that a query whose term changes meanwhile is cancelled before it is sent to the server.
 * @throws the signal's reason when it aborts.
 */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", abort, { once: true });
  });
}
