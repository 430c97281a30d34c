"use client";

import { clsx } from "clsx";
import { BellOff, EllipsisVertical, Hash, Lock, Pencil, Users } from "lucide-react";
import Link from "next/link";
import { memo, useEffect, useRef, useState } from "react";
import { Avatar } from "../../_ui/avatar.tsx";
import { useLanguage } from "../../_ui/choose-language.ts";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { Opener } from "../../_ui/opener.tsx";
import { useChat } from "../chat-context.ts";
import { channelName, isUnread as isUnreadChannel, mentionsIn } from "../data/channels.ts";
import { useHasDraft } from "../data/drafts.ts";
import type { Channel } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { PresenceDot, PresenceWords } from "../people/presence.tsx";
import { strings } from "../strings.en.ts";

const icons = { O: Hash, P: Lock, G: Users };

function ChannelIcon({ channel }: { channel: Channel }) {
  if (channel.type === "D")
    return (
      <span aria-hidden className="relative flex">
        <Avatar
          size="small"
          name={channel.directUser?.username ?? "?"}
          imageUrl={channel.directUser ? pictureOf(channel.directUser) : undefined}
        />
        {channel.directUser && <PresenceDot userId={channel.directUser.id} />}
      </span>
    );
  const Icon = icons[channel.type];
  return <Icon aria-hidden size={17} className="mx-[3.5px] shrink-0 text-ink-faint" />;
}

/** Returns what a screen reader says of a row after its name. */
function describe({ messageCount, mentionCount, isMuted }: Channel, hasDraft: boolean): string {
  const parts = [
    mentionCount > 0 ? strings.sidebar.mentions(mentionCount) : "",
    messageCount > 0 ? strings.sidebar.unread(messageCount) : "",
    isMuted ? strings.sidebar.muted : "",
    hasDraft ? strings.sidebar.draft : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** The number of unread messages that address the reader, or a dot if there are only others. */
export function UnreadMark({ count, isUnread }: { count: number; isUnread: boolean }) {
  if (!isUnread) return null;
  if (count === 0)
    return (
      <span
        aria-hidden
        className="ms-auto size-2 shrink-0 rounded-full bg-ink forced-colors:bg-[Highlight]"
      />
    );
  return (
    <span
      aria-hidden
      className="ms-auto shrink-0 rounded-full bg-accent px-2 forced-colors:border text-xs leading-5 font-semibold text-accent-ink"
    >
      {count > 99 ? "99+" : count}
    </span>
  );
}

const loadMenu = () => import("./channel-menu.tsx");
const ChannelMenu = loadClosable(() => loadMenu().then((module) => module.ChannelMenu));
const LeaveDialog = loadClosable(() => loadMenu().then((module) => module.LeaveDialog));

/** Opens the menu of a channel. */
export function ChannelMenuButton({
  channel,
  isSmall = false,
  onOpenChange,
}: {
  channel: Channel;
  isSmall?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
}) {
  const { me } = useChat();
  const [isAsking, setIsAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Opener
        kind="menu"
        load={loadMenu}
        onOpenChange={onOpenChange}
        part={(opened) => <ChannelMenu channel={channel} opened={opened} onAsk={() => setIsAsking(true)} />}
      >
        <IconButton
          ref={button}
          label={`${strings.channel.menu}: ${channelName(channel, me.id)}`}
          size={isSmall ? "small" : "medium"}
        >
          <EllipsisVertical aria-hidden size={isSmall ? 16 : 18} />
        </IconButton>
      </Opener>
      {isAsking && <LeaveDialog channel={channel} menu={button} onClose={() => setIsAsking(false)} />}
    </>
  );
}

type ChannelRowProps = {
  channel: Channel;
  isOpen: boolean;
  onMenu: (channelId: string, isOpen: boolean) => void;
};

/** A conversation in the list: bold if unread, with a count of mentions, dimmed if muted. */
export const ChannelRow = memo(function ChannelRow({ channel, isOpen, onMenu }: ChannelRowProps) {
  useLanguage();
  const { me } = useChat();
  const isUnread = isUnreadChannel(channel);
  const hasDraft = useHasDraft(me.username, channel.id) && !isOpen;
  const badge = mentionsIn(channel);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Shows users who move through a long list by keys or the finder where they are.
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li ref={row} {...(isUnread && { "data-unread": badge })} className="group relative scroll-my-9 px-2">
      <Link
        href={`/chat/${channel.id}`}
        prefetch={false}
        aria-current={isOpen ? "page" : undefined}
        className={clsx(
          "flex items-center gap-2.5 rounded-lg py-2 pe-10 pointer-coarse:pe-12 ps-2 text-md md:py-1.5 pointer-coarse:min-h-11",
          isOpen ? "bg-selected" : "hover:bg-sunken",
          isUnread
            ? "font-semibold text-ink"
            : isOpen
              ? "text-ink"
              : channel.isMuted
                ? "text-ink-faint"
                : "text-ink-soft",
        )}
      >
        <ChannelIcon channel={channel} />
        <span dir="auto" className="truncate">
          {channelName(channel, me.id)}
        </span>
        {channel.isMuted && <BellOff aria-hidden size={14} className="shrink-0" />}
        {hasDraft && <Pencil aria-hidden size={14} className="shrink-0" />}
        <UnreadMark count={badge} isUnread={isUnread || channel.mentionCount > 0} />
        <span className="sr-only">
          <span>{`${describe(channel, hasDraft)} `}</span>
          {channel.directUser && <PresenceWords userId={channel.directUser.id} />}
        </span>
      </Link>
      <span
        data-beside
        className="absolute top-1/2 end-3 pointer-coarse:end-2 -translate-y-1/2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100"
      >
        <ChannelMenuButton
          channel={channel}
          isSmall
          onOpenChange={(isMenuOpen) => onMenu(channel.id, isMenuOpen)}
        />
      </span>
    </li>
  );
});
