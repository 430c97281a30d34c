"use client";

import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { callChat } from "../../_session/call-chat.ts";
import { addPost } from "./cache.ts";
import type { OutgoingPost, Post } from "./model.ts";
import type { Outbox } from "./outbox.ts";

const ANSWER_WITHIN_MS = 30_000;

/** Sends posts one after the other, so that they arrive as they were written; failures keep their text in the outbox. */
export function useSender(myId: string, outbox: Outbox) {
  const cache = useQueryClient();
  const last = useRef<Promise<void>>(Promise.resolve());
  return useMemo(() => {
    const deliver = async ({ pendingId, channelId, rootId, message }: OutgoingPost) => {
      try {
        const { post } = await callChat<{ post: Post }>(`/channels/${channelId}/posts`, {
          method: "POST",
          body: { message, pendingPostId: pendingId, ...(rootId ? { rootId } : {}) },
          signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        });
        // The answer to a repeated post does not name it.
        addPost(cache, { ...post, pending_post_id: pendingId });
        notifyManager.schedule(() => outbox.remove(pendingId));
      } catch (error) {
        outbox.mark(pendingId, { state: "failed", problem: error instanceof Error ? error.message : "" });
      }
    };
    const enqueue = (post: OutgoingPost) => {
      last.current = last.current.then(() => deliver(post));
    };
    return {
      send({ channelId, rootId, message }: { channelId: string; rootId: string; message: string }) {
        const createdAt = Math.max(Date.now(), (outbox.snapshot().at(-1)?.createdAt ?? 0) + 1);
        const post: OutgoingPost = {
          pendingId: `${myId}:${createdAt}`,
          channelId,
          rootId,
          message,
          createdAt,
          state: "sending",
        };
        outbox.add(post);
        enqueue(post);
      },
      resend(pendingId: string) {
        const post = outbox.snapshot().find((waiting) => waiting.pendingId === pendingId);
        if (!post) return;
        outbox.mark(pendingId, { state: "sending" });
        enqueue(post);
      },
    };
  }, [cache, myId, outbox]);
}
