"use client";

import { useEffect } from "react";
import { useChannels } from "../data/use-channels.ts";
import { messages } from "../messages.en.ts";

/** Shows the number of unread messages of channels that are not muted in the page's title. */
export function useUnreadTitle() {
  const { data } = useChannels();
  const unread = (data ?? [])
    .filter(({ is_muted }) => !is_muted)
    .reduce((sum, { message_count, mention_count }) => sum + Math.max(message_count, mention_count), 0);
  useEffect(() => {
    document.title = messages.pageTitle(unread);
  });
}
