"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { callChat } from "../../_session/call-chat.ts";
import { rememberUsers } from "../data/cache.ts";
import type { User } from "../data/model.ts";
import { useUsers } from "../data/use-channels.ts";
import { findEmoji } from "../emoji/emojify.ts";
import type { Trigger } from "./find-trigger.ts";

const AT_MOST = 8;
const PAUSE_MS = 150;
const FRESH_MS = 60_000;

export type Suggestion = { key: string; label: string; insert: string; picture?: string; user?: User };

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });

/** People whose name begins like this: those met already at once, others from the server. */
function usePeople(part: string | null): User[] {
  const cache = useQueryClient();
  const users = useUsers();
  const deferred = useDeferredValue(part);
  const found = useQuery({
    queryKey: ["people", deferred],
    enabled: deferred !== null && deferred !== "",
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      await pause(signal);
      const answer = await callChat<{ users: User[] }>(
        `/users/search?q=${encodeURIComponent(deferred ?? "")}`,
        { signal },
      );
      rememberUsers(cache, answer.users);
      return answer.users;
    },
  });
  if (part === null) return [];
  const all = new Map([...Object.values(users), ...(found.data ?? [])].map((user) => [user.id, user]));
  return [...all.values()]
    .filter(({ username }) => username.startsWith(part))
    .sort((a, b) => a.username.localeCompare(b.username))
    .slice(0, AT_MOST);
}

/** What the unfinished word may become. */
export function useSuggestions(trigger: Trigger | null): Suggestion[] {
  const people = usePeople(trigger?.kind === "person" ? trigger.part : null);
  if (trigger?.kind === "emoji")
    return findEmoji(trigger.part, AT_MOST).map(({ name, character }) => ({
      key: name,
      label: `:${name}:`,
      insert: `${character} `,
      picture: character,
    }));
  return people.map((user) => ({
    key: user.id,
    label: `@${user.username}`,
    insert: `@${user.username} `,
    user,
  }));
}
