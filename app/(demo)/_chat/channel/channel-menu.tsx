"use client";

import { Bell, BellOff, CheckCheck, EllipsisVertical, Link2, LogOut, Star, StarOff } from "lucide-react";
import { useParams, useRouter } from "next/navigation";
import { toast } from "sonner";
import { IconButton } from "../../_ui/icon-button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../_ui/menu.tsx";
import { useChat } from "../chat-context.ts";
import type { Channel } from "../data/model.ts";
import { useChannelFlags, useMembership } from "../data/use-channels.ts";
import { useMarkRead } from "../data/use-view.ts";
import { messages } from "../messages.en.ts";
import { channelName } from "../sidebar/channel-name.ts";

/** What can be done with a channel: favourite, mute, read, link, leave. */
export function ChannelMenu({ channel, isSmall = false }: { channel: Channel; isSmall?: boolean }) {
  const { me } = useChat();
  const router = useRouter();
  const { channelId: openId } = useParams<{ channelId?: string }>();
  const flags = useChannelFlags();
  const membership = useMembership();
  const markRead = useMarkRead();
  const { id: channelId, is_favorite, is_muted, type } = channel;
  const fail = { onError: () => toast.error(messages.toast.failed) };

  const leave = () =>
    membership.mutate(
      { channelId, act: "leave" },
      {
        ...fail,
        onSuccess: () => {
          toast(messages.toast.left(channelName(channel, me.id)));
          if (openId === channelId) router.push("/chat");
        },
      },
    );
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(new URL(`/chat/${channelId}`, window.location.origin).href);
      toast(messages.channel.linkCopied);
    } catch {
      fail.onError();
    }
  };

  return (
    <Menu
      trigger={
        <IconButton
          label={`${messages.channel.menu}: ${channelName(channel, me.id)}`}
          className={isSmall ? "size-7" : ""}
        >
          <EllipsisVertical aria-hidden size={isSmall ? 16 : 18} />
        </IconButton>
      }
    >
      <MenuItem
        icon={is_favorite ? <StarOff aria-hidden size={16} /> : <Star aria-hidden size={16} />}
        onSelect={() => flags.mutate({ channelId, act: "favorite", value: !is_favorite }, fail)}
      >
        {is_favorite ? messages.channel.unfavorite : messages.channel.favorite}
      </MenuItem>
      <MenuItem
        icon={is_muted ? <Bell aria-hidden size={16} /> : <BellOff aria-hidden size={16} />}
        onSelect={() => flags.mutate({ channelId, act: "mute", value: !is_muted }, fail)}
      >
        {is_muted ? messages.channel.unmute : messages.channel.mute}
      </MenuItem>
      <MenuItem
        icon={<CheckCheck aria-hidden size={16} />}
        onSelect={() => void markRead(channelId).catch(fail.onError)}
      >
        {messages.channel.markRead}
      </MenuItem>
      <MenuItem icon={<Link2 aria-hidden size={16} />} onSelect={() => void copyLink()}>
        {messages.channel.copyLink}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isDanger icon={<LogOut aria-hidden size={16} />} onSelect={leave}>
        {type === "D" || type === "G" ? messages.channel.hide : messages.channel.leave}
      </MenuItem>
    </Menu>
  );
}
