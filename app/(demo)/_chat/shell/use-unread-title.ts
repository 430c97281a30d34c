"use client";

import { useParams } from "next/navigation";
import { useEffect } from "react";
import { useChat } from "../chat-context.ts";
import { channelName } from "../data/channel-name.ts";
import { useChannels } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";

/** Shows in the page's title what is open, and the number of unread messages of channels that are not muted. */
export function useUnreadTitle() {
  const { me } = useChat();
  const { data } = useChannels();
  const { channelId } = useParams<{ channelId?: string }>();
  const open = data?.find(({ id }) => id === channelId);
  const unread = (data ?? [])
    .filter(({ is_muted }) => !is_muted)
    .reduce((sum, { message_count, mention_count }) => sum + Math.max(message_count, mention_count), 0);
  useEffect(() => {
    document.title = strings.pageTitle(unread, open ? channelName(open, me.id) : null);
  });
}
