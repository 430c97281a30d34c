"use client";

import { useCallback, useRef } from "react";
import type { Post } from "../data/model.ts";

/**
 * The open thread is part of the address (`?thread=<root id>`), so that links and the back button know it.
 * A link to a reply opens its thread. `opener` is what had the focus before it was opened here.
 */
export function useThreadAddress(channelId: string, thread: string | null, anchor: Post | undefined) {
  const implied = anchor?.root_id || null;
  const opener = useRef<Element>(null);

  const openThread = useCallback((rootId: string) => {
    opener.current = document.activeElement;
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

  return { rootId: thread ?? implied, opener, openThread, closeThread };
}
