"use client";

import { useSyncExternalStore } from "react";
import { createListeners } from "../../_ui/external-store.ts";
import { keepText, keptKeys, readText } from "../../_ui/kept-text.ts";
import type { Post } from "./model.ts";

const PREFIX = "hivegate.draft.";
const EDIT = "edit-";
const KEPT_AT_MOST = 100;

const keyOf = (username: string, channelId: string, rootId: string) =>
  `${PREFIX}${username}.${channelId}.${rootId}`;

const { subscribe, tell } = createListeners();

/**
 * Calls back when unsent text appears or disappears, here or in another tab. Call the returned function to
 * stop.
 */
function subscribeToDrafts(listener: () => void): () => void {
  const end = subscribe(listener);
  window.addEventListener("storage", listener);
  return () => {
    end();
    window.removeEventListener("storage", listener);
  };
}

/** Returns the text that this person left unsent in a channel or thread, or "". */
export function readDraft(username: string, channelId: string, rootId: string): string {
  return readText(keyOf(username, channelId, rootId)) ?? "";
}

/** Stores unsent text on this device; empty text removes it. */
export function saveDraft(username: string, channelId: string, rootId: string, text: string): void {
  const key = keyOf(username, channelId, rootId);
  const isEmpty = text.trim() === "";
  const isNews = (readText(key) === null) !== isEmpty;
  if (isEmpty) keepText(key, null);
  else keep(key, text);
  if (isNews) tell();
}

function keep(key: string, text: string): void {
  const keys = keptKeys().filter((name) => name.startsWith(PREFIX));
  if (keys.length >= KEPT_AT_MOST && keys[0] !== undefined && !keys.includes(key)) keepText(keys[0], null);
  keepText(key, text);
}

type Edited = Pick<Post, "id" | "channelId">;

/** Returns the text of this person's unsaved edit of a message, or null. */
export function readEdit(username: string, { id, channelId }: Edited): string | null {
  return readDraft(username, channelId, EDIT + id) || null;
}

/** Stores an unsaved edit of a message on this device; null removes it. */
export function saveEdit(username: string, { id, channelId }: Edited, text: string | null): void {
  saveDraft(username, channelId, EDIT + id, text ?? "");
}

/** Returns the id of a message in a channel that has an unsaved edit by this person, or null. */
export function findEdit(username: string, channelId: string): string | null {
  const start = keyOf(username, channelId, EDIT);
  const key = keptKeys().find((name) => name.startsWith(start));
  return key?.slice(start.length) ?? null;
}

/** Returns whether a person has unsent text in a channel's own composer, not counting those of its threads. */
export function useHasDraft(username: string, channelId: string): boolean {
  return useSyncExternalStore(
    subscribeToDrafts,
    () => readDraft(username, channelId, "") !== "",
    () => false,
  );
}
