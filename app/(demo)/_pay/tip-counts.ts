"use client";

import { useEffect, useSyncExternalStore } from "react";
import type { TipSum, TipSums } from "../../../lib/contract/payment-answers.ts";
import { gateway } from "../_session/gateway.ts";
import { createListeners } from "../_ui/external-store.ts";

const MAX_BATCH = 100;
const MAX_KEPT = 5000;
/** What was read less long ago than this is not read again. */
const FRESH_MS = 30_000;

type Load = (ids: readonly string[]) => Promise<Record<string, TipSum>>;
type KeptSum = { tips: TipSum | null; readAt: number };

/**
 * Knows how often messages were tipped. Those asked about within `delayMs` go into one request, each id once; what fails
 * is asked again when it is wanted again. Nothing is polled: what others tip is seen when a message is read again.
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
    // Counts only grow: a smaller one is older.
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
    /** Called while a message is shown; gives what ends that. */
    want(id: string) {
      shown.set(id, (shown.get(id) ?? 0) + 1);
      if (!known.has(id)) ask(id);
      return () => {
        const left = (shown.get(id) ?? 1) - 1;
        if (left > 0) shown.set(id, left);
        else shown.delete(id);
      };
    },
    /** A message that was written just now has no tips, without asking. */
    begin(id: string) {
      if (!known.has(id)) keep(id, null);
    },
    /** Asks again about a message, unless that was done just now. */
    reread,
    /** Asks again about all messages that are shown. */
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

/** The page's one memory of tips. */
export const sharedTipCounts = createTipCounts(
  async (ids) =>
    (
      await gateway.request<TipSums>("/api/demo/tips", {
        query: { posts: ids.join(",") },
      })
    ).tips,
);

/** What a message was tipped while it is shown; null where it was not. */
export function useTips(postId: string): TipSum | null {
  useEffect(() => sharedTipCounts.want(postId), [postId]);
  return useSyncExternalStore(
    sharedTipCounts.subscribe,
    () => sharedTipCounts.get(postId),
    () => null,
  );
}

/** Whoever turns to a message sees what it was tipped meanwhile. */
export function useFreshTips(postId: string): void {
  useEffect(() => sharedTipCounts.reread(postId), [postId]);
}

/** Whoever comes back to the page sees what its messages were tipped meanwhile: one request, at most every half minute. */
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
