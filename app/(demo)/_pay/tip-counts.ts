"use client";

import { useEffect, useSyncExternalStore } from "react";
import type { TipSum, TipSums } from "../../../lib/contract/payment-answers.ts";
import { chatSession } from "../_session/chat-session.ts";
import { createListeners } from "../_ui/external-store.ts";

const MAX_BATCH = 100;
const MAX_KEPT = 5000;
/** Age below which tips are not requested again. */
const FRESH_MS = 30_000;

type Load = (ids: readonly string[]) => Promise<Record<string, TipSum>>;
type KeptSum = { tips: TipSum | null; readAt: number };

/**
 * Caches how often messages were tipped. Requests within `delayMs` are combined, each id once. Failed
 * requests are repeated when they are needed again. Nothing is polled: other users' tips appear when a
 * message's tips are read again.
 */
export function createTipCounts(load: Load, delayMs = 80, now: () => number = () => performance.now()) {
  const known = new Map<string, KeptSum>();
  const shown = new Map<string, number>();
  const waiting = new Set<string>();
  const { subscribe, tell } = createListeners();
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(flush, delayMs);
  };
  const keep = (id: string, tips: TipSum | null) => {
    if (known.size >= MAX_KEPT && !known.has(id)) known.clear();
    const before = known.get(id)?.tips ?? null;
    // Counts only grow, so a smaller one is older.
    known.set(id, { tips: (tips?.count ?? 0) >= (before?.count ?? 0) ? tips : before, readAt: now() });
  };
  const ask = (id: string) => {
    keep(id, known.get(id)?.tips ?? null);
    waiting.add(id);
    schedule();
  };

  const flush = async () => {
    isScheduled = false;
    const ids = [...waiting].slice(0, MAX_BATCH);
    for (const id of ids) waiting.delete(id);
    if (waiting.size > 0) schedule();
    try {
      const counts = await load(ids);
      for (const id of ids) keep(id, counts[id] ?? null);
      tell();
    } catch {
      for (const id of ids) if (!known.get(id)?.tips) known.delete(id);
    }
  };

  const reread = (id: string) => {
    const present = known.get(id);
    if (!present || now() - present.readAt >= FRESH_MS) ask(id);
  };

  return {
    /** Call this when a message is shown, and the returned function when it no longer is. */
    want(id: string) {
      shown.set(id, (shown.get(id) ?? 0) + 1);
      if (!known.has(id)) ask(id);
      return () => {
        const left = (shown.get(id) ?? 1) - 1;
        if (left > 0) shown.set(id, left);
        else shown.delete(id);
      };
    },
    /** Adds a new message, which has no tips, so none are requested. */
    begin(id: string) {
      if (!known.has(id)) keep(id, null);
    },
    /** Requests a message's tips again, unless they were just read. */
    reread,
    /** Requests the tips of all shown messages again. */
    rereadShown() {
      for (const id of shown.keys()) reread(id);
    },
    get: (id: string) => known.get(id)?.tips ?? null,
    set(id: string, tips: TipSum) {
      keep(id, tips);
      tell();
    },
    subscribe,
  };
}

/** The page's shared cache of tips. */
export const sharedTipCounts = createTipCounts(
  async (ids) =>
    (
      await chatSession.request<TipSums>("/api/demo/tips", {
        query: { posts: ids.join(",") },
      })
    ).tips,
);

/** Returns the tips of a shown message, or null if there are none. */
export function useTips(postId: string): TipSum | null {
  useEffect(() => sharedTipCounts.want(postId), [postId]);
  return useSyncExternalStore(
    sharedTipCounts.subscribe,
    () => sharedTipCounts.get(postId),
    () => null,
  );
}

/** Reads a message's tips again when its actions appear. */
export function useFreshTips(postId: string): void {
  useEffect(() => sharedTipCounts.reread(postId), [postId]);
}

/** Reads tips again when a user returns to the page: one request, at most every half minute. */
export function useFreshTipsOnReturn(): void {
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === "visible") sharedTipCounts.rereadShown();
    };
    window.addEventListener("focus", onReturn);
    document.addEventListener("visibilitychange", onReturn);
    return () => {
      window.removeEventListener("focus", onReturn);
      document.removeEventListener("visibilitychange", onReturn);
    };
  }, []);
}
