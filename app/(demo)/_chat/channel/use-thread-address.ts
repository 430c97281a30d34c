"use client";

import { useCallback } from "react";
import type { Post } from "../data/model.ts";

/**
 * The open thread is part of the address (`?thread=<root id>`), so that links and the back button know it.
 * A link to a reply opens its thread.
 */
export function useThreadAddress(channelId: string, thread: string | null, anchor: Post | undefined) {
  const implied = anchor?.root_id || null;

  const openThread = useCallback((rootId: string) => {
    const address = new URL(window.location.href);
    address.searchParams.set("thread", rootId);
    window.history.pushState(null, "", address);
  }, []);

  const closeThread = () => {
    const address = new URL(`/chat/${channelId}`, window.location.origin);
    const post = implied ?? anchor?.id;
    if (post) address.searchParams.set("post", post);
    window.history.pushState(null, "", address);
  };

  return { rootId: thread ?? implied, openThread, closeThread };
}
