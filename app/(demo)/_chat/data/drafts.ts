"use client";

import { useSyncExternalStore } from "react";
import { createListeners } from "../../_ui/external-store.ts";

const PREFIX = "hivegate.draft.";
const KEPT_AT_MOST = 100;

const keyOf = (username: string, channelId: string, rootId: string) =>
  `${PREFIX}${username}.${channelId}.${rootId}`;

const { subscribe, tell } = createListeners();

/** Calls back when a text begins or ends to be unsent, here or in another tab. */
function subscribeToDrafts(listener: () => void): () => void {
  const end = subscribe(listener);
  window.addEventListener("storage", listener);
  return () => {
    end();
    window.removeEventListener("storage", listener);
  };
}

/** The text that this person left unsent in a channel or thread, or "". */
export function readDraft(username: string, channelId: string, rootId: string): string {
  return localStorage.getItem(keyOf(username, channelId, rootId)) ?? "";
}

/** Keeps unsent text on this device; empty text forgets it. */
export function saveDraft(username: string, channelId: string, rootId: string, text: string): void {
  const key = keyOf(username, channelId, rootId);
  const isEmpty = text.trim() === "";
  const isNews = (localStorage.getItem(key) === null) !== isEmpty;
  if (isEmpty) localStorage.removeItem(key);
  else keep(key, text);
  if (isNews) tell();
}

function keep(key: string, text: string): void {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  if (keys.length >= KEPT_AT_MOST && keys[0] !== undefined && !keys.includes(key))
    localStorage.removeItem(keys[0]);
  try {
    localStorage.setItem(key, text);
  } catch {
    // Where nothing can be kept the text lasts as long as the page.
  }
}

/** Whether a person left something unsent in a channel. */
export function useHasDraft(username: string, channelId: string): boolean {
  return useSyncExternalStore(
    subscribeToDrafts,
    () => readDraft(username, channelId, "") !== "",
    () => false,
  );
}
