"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ChatError } from "#lib/chat-client/index.ts";
import { problemOf } from "../../_session/problem-of.ts";
import { createExternalStore } from "../../_ui/external-store.ts";
import { toast } from "../../_ui/toast.tsx";
import { changePost } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";

/** Milliseconds within which a deletion can be undone. */
const UNDO_WITHIN_MS = 5_000;

/** Confirmed deletions that can still be undone. `remove` is called once the undo period is over. */
export function createRemovals(remove: (post: Post) => Promise<void>, undoWithinMs = UNDO_WITHIN_MS) {
  const waiting = new Map<string, { post: Post; timer: ReturnType<typeof setTimeout> }>();
  const { snapshot, subscribe, publish } = createExternalStore<ReadonlySet<string>>(new Set());
  const strike = (id: string) => publish(new Set([...snapshot()].filter((other) => other !== id)));
  const finish = async (id: string) => {
    const removal = waiting.get(id);
    if (!removal) return;
    waiting.delete(id);
    clearTimeout(removal.timer);
    await remove(removal.post);
    strike(id);
  };

  return {
    start(post: Post) {
      if (snapshot().has(post.id)) return;
      waiting.set(post.id, { post, timer: setTimeout(() => void finish(post.id), undoWithinMs) });
      publish(new Set([...snapshot(), post.id]));
    },
    undo(id: string) {
      const removal = waiting.get(id);
      if (!removal) return;
      waiting.delete(id);
      clearTimeout(removal.timer);
      strike(id);
    },
    /** Performs all waiting deletions immediately, because the user is leaving the page. */
    async flush() {
      await Promise.all([...waiting.keys()].map(finish));
    },
    /** The posts whose deletion is waiting or in progress. */
    snapshot,
    subscribe,
  };
}

export type Removals = ReturnType<typeof createRemovals>;

const isGone = (error: unknown) => error instanceof ChatError && error.status === 404;

/** This tab's deletions. Waiting ones are performed when the user leaves the page. */
export function useRemovals(): Removals {
  const cache = useQueryClient();
  const [removals] = useState(() =>
    createRemovals(async ({ id, channelId }) => {
      try {
        // The request must survive the closing of the page.
        await chatClient.posts.remove(channelId, id, { keepalive: true });
      } catch (error) {
        if (!isGone(error)) {
          toast.error(problemOf(error));
          return;
        }
      }
      changePost(cache, id, (present) => ({ ...present, deleteAt: Date.now(), message: "" }));
    }),
  );

  useEffect(() => {
    const flush = () => void removals.flush();
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, [removals]);
  return removals;
}
