"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { toast } from "sonner";
import { ChatError } from "../../../../lib/chat-client/index.ts";
import { strings } from "../strings.en.ts";
import { changePost } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import { createRemovals, type Removals } from "./removals.ts";

const isGone = (error: unknown) => error instanceof ChatError && error.status === 404;

/** This tab's deletions; those that wait are done when the page is left. */
export function useRemovals(): Removals {
  const cache = useQueryClient();
  const [removals] = useState(() =>
    createRemovals(async ({ id, channel_id }) => {
      try {
        // A page that closes must not take the request with it.
        await chatClient.posts.remove(channel_id, id, { keepalive: true });
      } catch (error) {
        if (!isGone(error)) {
          toast.error(error instanceof Error ? error.message : strings.toast.failed);
          return;
        }
      }
      changePost(cache, id, (present) => ({ ...present, delete_at: Date.now(), message: "" }));
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
