"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useChat } from "../chat-context.ts";
import { tildeName } from "../data/channels.ts";
import { chatClient } from "../data/chat-client.ts";
import type { Channel, User } from "../data/model.ts";
import { useChannels, useUsers } from "../data/use-channels.ts";
import { findEmoji, loadEmojiTable } from "../emoji/emojify.ts";
import { recentEmoji } from "../emoji/recent-emoji.ts";
import { skinTone, withTone } from "../emoji/skin-tone.ts";
import { strings } from "../strings.en.ts";
import { commandNames } from "./typed-text.ts";

export type Trigger = { kind: "person" | "emoji" | "channel" | "command"; part: string; start: number };

const PERSON = /(?:^|[\s([{"'])@([a-z0-9._-]{0,64})$/i;
const EMOJI = /(?:^|[\s([{"'])?:([a-z0-9_+-]{2,64})$/;

const CHANNEL = /(?:^|[\s([{"'])~([a-z0-9_-]{0,64})$/i;
const COMMAND = /^\/([a-z]*)$/;

/** Returns the unfinished `@name`, `~channel`, `:emoji` or `/command` before the cursor, or null. */
export function findTrigger(text: string, cursor: number): Trigger | null {
  const before = text.slice(0, cursor);
  const person = PERSON.exec(before)?.[1];
  if (person !== undefined)
    return { kind: "person", part: person.toLowerCase(), start: cursor - person.length - 1 };
  for (const [kind, pattern] of [
    ["channel", CHANNEL],
    ["command", COMMAND],
  ] as const) {
    const part = pattern.exec(before)?.[1]?.toLowerCase();
    if (part !== undefined) return { kind, part, start: cursor - part.length - 1 };
  }
  const emoji = EMOJI.exec(before)?.[1];
  if (emoji === undefined) return null;
  const start = cursor - emoji.length - 1;
  // In "10:30" and "http://x:80" the colon is no trigger.
  if (start > 0 && /[\w/]/.test(text.charAt(start - 1))) return null;
  return { kind: "emoji", part: emoji, start };
}

const AT_MOST = 8;
const PAUSE_MS = 150;
const FRESH_MS = 60_000;

export type Suggestion = {
  key: string;
  label: string;
  insert: string;
  picture?: string;
  user?: User;
  /** The people behind a group name, or the effect of a command. */
  hint?: string;
  note?: string | null;
};

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });

/** Returns the group names that start with `part`; no account has such a name. */
const everybodyLike = (part: string): Suggestion[] =>
  Object.entries(strings.composer.everybody)
    .filter(([name]) => name.startsWith(part))
    .map(([name, hint]) => ({ key: `@${name}`, label: `@${name}`, insert: `@${name} `, hint }));

const byName = (a: User, b: User) => a.username.localeCompare(b.username);

/**
 * Returns people whose name starts with `part`: those already seen first and immediately, then others from
 * the server.
 */
function usePeople(part: string | null): { people: User[]; isPending: boolean } {
  const { me } = useChat();
  const met = useUsers();
  const found = useQuery({
    queryKey: ["people", part],
    enabled: part !== null && part !== "",
    staleTime: FRESH_MS,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      await pause(signal);
      return chatClient.users.search(part ?? "", { signal });
    },
  });
  if (part === null) return { people: [], isPending: false };
  const isMeant = ({ username }: User) => username.startsWith(part);
  // Users rarely mean themselves, so the user's own name comes last.
  const isOther = ({ id }: User) => id !== me.id;
  const others = (found.data ?? []).filter(({ id }) => !met[id]);
  const people = [Object.values(met), others].flatMap((users) => users.filter(isMeant).sort(byName));
  const own = people.filter(({ id }) => id === me.id);
  return {
    people: [...people.filter(isOther), ...own].slice(0, AT_MOST),
    isPending: found.isFetching,
  };
}

const commandsLike = (part: string): Suggestion[] =>
  commandNames
    .filter((name) => name.startsWith(part))
    .map((name) => ({
      key: name,
      label: `/${name}`,
      insert: `/${name} `,
      picture: "/",
      hint: strings.composer.commands[name],
    }));

type Named = Pick<Channel, "id" | "type" | "name" | "displayName">;

const suggestChannel = (channel: Named): Suggestion => ({
  key: channel.id,
  label: channel.displayName,
  insert: `~${channel.name} `,
  picture: "#",
  note: tildeName(channel),
});

/** Minimum length of a term, set by the gateway. */
const SHORTEST_TERM = 2;

/**
 * Returns channels with a name, or a word of the title, that starts with `part`: the user's own immediately,
 * then other public ones.
 */
function useChannelsLike(part: string | null): { suggestions: Suggestion[]; isPending: boolean } {
  const { data: own = [] } = useChannels();
  const found = useQuery({
    queryKey: ["channels-like", part],
    enabled: part !== null && part.length >= SHORTEST_TERM,
    staleTime: FRESH_MS,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      await pause(signal);
      return (await chatClient.channels.browse({ q: part ?? "", signal })).channels;
    },
  });
  if (part === null) return { suggestions: [], isPending: false };
  const isMeant = ({ name, displayName }: Named) =>
    [name, ...displayName.split(/\s+/)].some((word) => word.toLowerCase().startsWith(part));
  const others = (found.data ?? []).filter((channel) => own.every(({ id }) => id !== channel.id));
  const suggestions = [
    ...own
      .filter(({ type }) => type === "O" || type === "P")
      .filter(isMeant)
      .map(suggestChannel),
    ...others.filter(isMeant).map((channel) => ({
      ...suggestChannel(channel),
      note: `${tildeName(channel)} · ${strings.guest.notIn}`,
    })),
  ];
  return { suggestions: suggestions.slice(0, AT_MOST), isPending: found.isFetching };
}

/** Returns suggestions for the unfinished word, and whether more may arrive. */
export function useSuggestions(trigger: Trigger | null): { suggestions: Suggestion[]; isPending: boolean } {
  const { me } = useChat();
  const { people, isPending } = usePeople(trigger?.kind === "person" ? trigger.part : null);
  const channels = useChannelsLike(trigger?.kind === "channel" ? trigger.part : null);
  const table = useQuery({
    queryKey: ["emoji-table"],
    enabled: trigger?.kind === "emoji",
    queryFn: loadEmojiTable,
  });
  if (trigger?.kind === "command") return { suggestions: commandsLike(trigger.part), isPending: false };
  if (trigger?.kind === "channel") return channels;
  if (trigger?.kind === "emoji") {
    const tone = skinTone.snapshot();
    const suggestions = findEmoji(trigger.part, AT_MOST, recentEmoji(me.username)).map((emoji) => {
      const character = withTone(emoji.character, tone);
      return { key: emoji.name, label: `:${emoji.name}:`, insert: `${character} `, picture: character };
    });
    return { suggestions, isPending: table.isFetching };
  }
  const suggestions = people.map((user) => ({
    key: user.id,
    label: `@${user.username}`,
    insert: `@${user.username} `,
    user,
  }));
  // A key meant for a person whose search is pending must not call everyone.
  const everybody = trigger && !isPending ? everybodyLike(trigger.part) : [];
  return { suggestions: [...suggestions, ...everybody], isPending };
}
