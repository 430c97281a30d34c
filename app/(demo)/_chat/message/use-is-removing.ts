"use client";

import { useSyncExternalStore } from "react";
import { useChat } from "../chat-context.ts";

/** Whether a message's deletion was confirmed here and can still be taken back or is under way. */
export function useIsRemoving(postId: string): boolean {
  const { removals } = useChat();
  return useSyncExternalStore(
    removals.subscribe,
    () => removals.snapshot().has(postId),
    () => false,
  );
}
