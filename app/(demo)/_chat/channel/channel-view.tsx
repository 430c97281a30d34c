"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useChannels } from "../data/use-channels.ts";
import { TimelineSkeleton } from "../shell/chat-skeleton.tsx";
import { OpenChannel } from "./open-channel.tsx";

/** The channel of the address, at the post of the address where it names one. */
export function ChannelView({ channelId }: { channelId: string }) {
  const address = useSearchParams();
  const channels = useChannels();
  const [startsAtEnd, setStartsAtEnd] = useState(false);
  const anchor = address.get("post");

  // The list tells where the reader stopped, so it comes first.
  if (channels.isPending) return <TimelineSkeleton className="grow" />;
  return (
    <OpenChannel
      key={`${channelId}:${anchor ?? ""}`}
      channelId={channelId}
      channel={channels.data?.find(({ id }) => id === channelId)}
      anchor={anchor}
      thread={address.get("thread")}
      startsAtEnd={startsAtEnd}
      onLatest={() => {
        setStartsAtEnd(true);
        window.history.replaceState(null, "", `/chat/${channelId}`);
      }}
    />
  );
}
