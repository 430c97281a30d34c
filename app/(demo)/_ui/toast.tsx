"use client";

import { useEffect, useSyncExternalStore } from "react";
import { createExternalStore } from "./external-store.ts";
import { loadPart } from "./load-part.tsx";
import type { News } from "./toaster.tsx";

const isWanted = createExternalStore(false);
const waiting: News[] = [];
let show: ((news: News) => void) | null = null;

function tell(news: News): void {
  if (show) show(news);
  else {
    waiting.push(news);
    isWanted.publish(true);
  }
}

/** Shows in a few words what was just done or, with `error`, that it failed, on pages that have `Toasts`. */
export const toast = Object.assign((text: string) => tell({ text, isError: false }), {
  error: (text: string) => tell({ text, isError: true }),
});

/** Passes on messages from before this call, and all later ones until the returned function is called. */
function takeNews(next: (news: News) => void): () => void {
  show = next;
  for (const news of waiting.splice(0)) next(news);
  return () => {
    show = null;
  };
}

const NewsPills = loadPart(() => import("./toaster.tsx").then((part) => part.NewsPills));
/**
 * Delay after which the code is preloaded, because without a connection the code that reports its loss could
 * not be loaded.
 */
const AHEAD_MS = 4000;

/** Shows short messages. Their code is loaded with the first message, or a while after the page. */
export function Toasts() {
  const isThere = useSyncExternalStore(isWanted.subscribe, isWanted.snapshot, () => false);
  useEffect(() => {
    const timer = setTimeout(() => isWanted.publish(true), AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
  return isThere ? <NewsPills take={takeNews} /> : null;
}
