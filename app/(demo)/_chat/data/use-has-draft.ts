"use client";

import { useSyncExternalStore } from "react";
import { readDraft, subscribeToDrafts } from "./drafts.ts";

/** Whether a person left something unsent in a channel. */
export function useHasDraft(username: string, channelId: string): boolean {
  return useSyncExternalStore(
    subscribeToDrafts,
    () => readDraft(username, channelId, "") !== "",
    () => false,
  );
}
