"use client";

import { clsx } from "clsx";
import { ArrowLeft, Hash, Lock, Pin, Search, Users } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { Avatar } from "../../_ui/avatar.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { useChat, usePanel } from "../chat-context.ts";
import { channelName } from "../data/channels.ts";
import type { Channel, ShownChannel } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { usePinned } from "../data/use-timeline.ts";
import { MessageText } from "../message/message-text.tsx";
import { Person } from "../people/faces.tsx";
import { PresenceDot } from "../people/presence.tsx";
import { ChannelMenuButton } from "../sidebar/channel-row.tsx";
import { strings } from "../strings.en.ts";

const AboutDialog = loadClosable(() =>
  import("../sidebar/channel-menu.tsx").then((module) => module.AboutDialog),
);

const icons = { O: Hash, P: Lock, G: Users, D: Users };

function ChannelSign({ shown }: { shown: ShownChannel }) {
  const person = shown.directUser;
  if (person)
    return (
      <span className="relative flex">
        <Avatar name={person.username} imageUrl={pictureOf(person)} />
        <PresenceDot userId={person.id} />
      </span>
    );
  const Icon = icons[shown.type];
  return <Icon aria-hidden size={20} className="shrink-0 text-ink-faint" />;
}

/** The channel's name. Pressing it shows the description of the channel or the partner. */
function ChannelTitle({
  shown,
  memberCount,
  isMember,
}: {
  shown: ShownChannel;
  memberCount: number | undefined;
  isMember: boolean;
}) {
  const { me } = useChat();
  const { open } = usePanel();
  const [isOpen, setIsOpen] = useState(false);
  const name = channelName(shown, me.id);
  const person = shown.directUser;
  // The lines below the name are part of its button, except for their links.
  const look = "truncate rounded after:absolute after:-inset-y-2.5 after:inset-x-0 hover:underline";
  if (person)
    return (
      <Person userId={person.id}>
        <button type="button" className={look}>
          <bdi>{name}</bdi>
        </button>
      </Person>
    );
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={strings.channel.about(name)}
        onClick={() => setIsOpen(true)}
        dir="auto"
        className={look}
      >
        {name}
      </button>
      {isOpen && (
        <AboutDialog
          name={name}
          purpose={shown.purpose}
          header={shown.header}
          memberCount={memberCount}
          {...(isMember && {
            onMembers: () => {
              setIsOpen(false);
              open("members");
            },
          })}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

/** The name of the open channel, its members, and its actions. */
export function ChannelHeader({
  shown,
  channel,
  memberCount,
  isMember,
  isRead,
}: {
  shown: ShownChannel | undefined;
  channel: Channel | undefined;
  memberCount: number | undefined;
  isMember: boolean;
  /** True once the channel's messages are loaded, so that less urgent requests may follow. */
  isRead: boolean;
}) {
  const { me } = useChat();
  const pinned = usePinned(shown?.id ?? "", isRead);
  const { panel, open } = usePanel();
  const about = shown?.header || shown?.purpose;
  const isCounted = shown?.type !== "D";
  const members = memberCount === undefined ? null : strings.channel.members(memberCount);
  return (
    <header className="flex h-15 shrink-0 items-center gap-2.5 border-b border-line bg-surface px-2 sm:px-4">
      <Link
        href="/chat"
        prefetch={false}
        aria-label={strings.channel.back}
        className="inline-flex size-9 pointer-coarse:size-11 shrink-0 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken md:hidden"
      >
        <ArrowLeft aria-hidden size={20} className="rtl:-scale-x-100" />
      </Link>
      {shown ? <ChannelSign shown={shown} /> : <Skeleton className="size-5 rounded-full!" />}
      <div className="relative min-w-0 grow">
        {/* Its placeholder is another element, because the name may be placed higher. */}
        <h1 key={String(shown !== undefined)} className="flex font-semibold">
          {shown ? (
            <ChannelTitle shown={shown} memberCount={memberCount} isMember={isMember} />
          ) : (
            <Skeleton className="h-5 w-32" />
          )}
        </h1>
        {shown && (isCounted || about) && (
          <p
            className="pointer-events-none relative truncate text-xs text-ink-soft [&_a]:pointer-events-auto [&_a]:outline-offset-[-2px]"
            dir="auto"
          >
            {/* Until the number of members has loaded, the line only takes up its room. */}
            {isCounted && members === null ? (
              <span>&nbsp;</span>
            ) : (
              <>
                {isCounted && <span>{`${members}${about ? " · " : ""}`}</span>}
                {about && <MessageText text={about} myName={me.username} isLine />}
              </>
            )}
          </p>
        )}
      </div>
      {shown && pinned.data !== undefined && pinned.data.total > 0 && (
        <button
          type="button"
          aria-expanded={panel === "pinned"}
          title={strings.pinned.title}
          onClick={() => open(panel === "pinned" ? null : "pinned")}
          className={clsx(
            "inline-flex h-9 shrink-0 items-center gap-1 rounded-lg px-2 text-sm pointer-coarse:h-11",
            panel === "pinned" ? "bg-selected text-ink" : "text-ink-soft hover:bg-sunken hover:text-ink",
          )}
        >
          <Pin aria-hidden size={17} />
          <span aria-hidden className="tabular-nums">
            {pinned.data.total}
          </span>
          <span className="sr-only">{strings.pinned.count(pinned.data.total)}</span>
        </button>
      )}
      {isMember && shown?.type !== "D" && (
        <IconButton
          label={strings.members.title}
          aria-expanded={panel === "members"}
          isActive={panel === "members"}
          className="max-sm:hidden"
          onClick={() => open(panel === "members" ? null : "members")}
        >
          <Users aria-hidden size={18} />
        </IconButton>
      )}
      <IconButton
        label={strings.channel.search}
        isActive={panel === "search"}
        onClick={() => open(panel === "search" ? null : "search")}
      >
        <Search aria-hidden size={18} />
      </IconButton>
      {channel && <ChannelMenuButton channel={channel} />}
    </header>
  );
}
