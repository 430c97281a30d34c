"use client";

import { useMemo, useSyncExternalStore } from "react";
import { useChat } from "../chat-context.ts";

/** The posts of a channel or thread that the server has not confirmed yet. */
export function useOutgoing(channelId: string, rootId: string) {
  const { outbox } = useChat();
  const all = useSyncExternalStore(outbox.subscribe, outbox.snapshot, outbox.snapshot);
  return useMemo(
    () => all.filter((post) => post.channelId === channelId && post.rootId === rootId),
    [all, channelId, rootId],
  );
}
