"use client";

import { useRef } from "react";
import { chatClient } from "../data/chat-client.ts";

const AT_MOST_EVERY_MS = 3_000;

/** Tells the others that the user is typing, at most every three seconds. */
export function useTypingSignal(channelId: string, rootId: string) {
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  return () => {
    if (performance.now() - lastAt.current < AT_MOST_EVERY_MS) return;
    lastAt.current = performance.now();
    chatClient.sendTyping(channelId, rootId);
  };
}
