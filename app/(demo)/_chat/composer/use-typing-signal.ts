"use client";

import { useRef } from "react";
import { useChat } from "../chat-context.ts";

const AT_MOST_EVERY_MS = 3_000;

/** Tells the others that the user is typing, at most every three seconds. */
export function useTypingSignal(channelId: string, rootId: string) {
  const { socket } = useChat();
  const lastAt = useRef(0);
  return () => {
    if (Date.now() - lastAt.current < AT_MOST_EVERY_MS) return;
    lastAt.current = Date.now();
    socket()?.sendTyping(channelId, rootId);
  };
}
