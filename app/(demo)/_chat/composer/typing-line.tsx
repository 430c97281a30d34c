"use client";

import { useSyncExternalStore } from "react";
import { useChat } from "../chat-context.ts";
import { useUsers } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";

function sentence([first, second, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  if (second === undefined) return strings.typing.one(first);
  return others.length === 0 ? strings.typing.two(first, second) : strings.typing.many;
}

/** Who is writing in a channel or thread just now. */
export function TypingLine({ channelId, rootId }: { channelId: string; rootId: string }) {
  const { typing } = useChat();
  const users = useUsers();
  const typists = useSyncExternalStore(typing.subscribe, typing.snapshot, typing.snapshot);
  const names = typists
    .filter((typist) => typist.channelId === channelId && typist.rootId === rootId)
    .map(({ userId }) => users[userId]?.username ?? strings.sidebar.unknownPerson);
  return (
    <p role="status" className="h-6 truncate px-1 text-xs leading-6 text-ink-soft">
      {sentence(names)}
    </p>
  );
}
