"use client";

import { useRef, useSyncExternalStore } from "react";
import { useChat } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import { useUsers } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";

function sentence([first, second, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  if (second === undefined) return strings.typing.one(first);
  return others.length === 0 ? strings.typing.two(first, second) : strings.typing.many;
}

/** The people who are currently typing in a channel or thread. */
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

const AT_MOST_EVERY_MS = 3_000;

/**
 * Signals to others that the user is typing: at most every three seconds, but at once for the first key after
 * a message was sent.
 */
export function useTypingSignal(channelId: string, rootId: string) {
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  return {
    signal() {
      if (performance.now() - lastAt.current < AT_MOST_EVERY_MS) return;
      lastAt.current = performance.now();
      chatClient.sendTyping(channelId, rootId);
    },
    /**
     * Call this once a message is sent. The message ends the typing indicator of others, so the next key must
     * signal again.
     */
    end() {
      lastAt.current = Number.NEGATIVE_INFINITY;
    },
  };
}
