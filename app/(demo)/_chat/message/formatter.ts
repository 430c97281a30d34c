"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { createExternalStore } from "../data/external-store.ts";
import { loadEmojiTable } from "../emoji/emojify.ts";

type Formatter = typeof import("./markdown.tsx");

/** Longer than this nobody waits for looks. */
const PATIENCE_MS = 3_000;

const formatter = createExternalStore<Formatter | null>(null);
let loading: Promise<void> | null = null;

async function load(): Promise<void> {
  formatter.publish(await import("./markdown.tsx"));
}

function loadFormatter(): Promise<void> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** What formats texts, which is no part of the first load; null until it is there. */
export function useFormatter(): Formatter | null {
  return useSyncExternalStore(formatter.subscribe, formatter.snapshot, () => null);
}

/**
 * Loads what messages are shown with. False while it is on its way: messages that were shown before would change
 * their height under the reader.
 */
export function useIsFormatterSettled(): boolean {
  const [isSettled, setIsSettled] = useState(formatter.snapshot() !== null);
  useEffect(() => {
    if (isSettled) return;
    const settle = () => setIsSettled(true);
    const timer = setTimeout(settle, PATIENCE_MS);
    // Without the table the common emoji still show, and others as their names; without the formatter the text does.
    void Promise.allSettled([loadFormatter(), loadEmojiTable()]).then(settle);
    return () => clearTimeout(timer);
  }, [isSettled]);
  return isSettled;
}
