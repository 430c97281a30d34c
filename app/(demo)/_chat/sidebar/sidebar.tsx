"use client";

import { clsx } from "clsx";
import { MessagesSquare, Search, SquarePen } from "lucide-react";
import Link from "next/link";
import { useRef, useState } from "react";
import { Button } from "../../_ui/button.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { Logo } from "../../_ui/logo.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { type Section, standStill } from "../data/channels.ts";
import { useChannels, useSections } from "../data/use-channels.ts";
import { useThreadNews } from "../data/use-inbox.ts";
import { usePanel } from "../panel-context.ts";
import { strings } from "../strings.en.ts";
import { AccountMenu } from "./account-menu.tsx";
import { ChannelRow, UnreadMark } from "./channel-row.tsx";
import { UnreadPills } from "./unread-pills.tsx";

const placeholders = ["w-24", "w-36", "w-28", "w-40", "w-32"];

function ChannelList() {
  const { data, isPending, refetch } = useChannels();
  const { open } = usePanel();
  const present = useSections();
  const [held, setHeld] = useState<{ channelId: string; sections: Section[] } | null>(null);
  if (isPending)
    return placeholders.map((width) => <Skeleton key={width} className={`mx-4 my-3 h-5 ${width}`} />);
  // A later reading that fails leaves the list that there is.
  if (data === undefined)
    return (
      <div className="p-4 text-sm text-ink-soft">
        <p className="mb-3">{strings.sidebar.failed}</p>
        <Button size="small" onClick={() => void refetch()}>
          {strings.failed.retry}
        </Button>
      </div>
    );
  if (data.length === 0)
    return (
      <div className="p-4 text-sm text-ink-soft">
        <p className="mb-3">{strings.sidebar.empty}</p>
        <Button size="small" tone="primary" onClick={() => open("finder")}>
          {strings.sidebar.browse}
        </Button>
      </div>
    );
  // A row that went took its menu along, which tells nobody that it closed.
  const isGone = held !== null && !data.some(({ id }) => id === held.channelId);
  if (isGone) setHeld(null);
  // A menu hangs on its row: if that moved, another item would come under the pointer.
  const sections = held && !isGone ? standStill(held.sections, data) : present;
  return sections.map(({ kind, channels }) => (
    <section key={kind} aria-label={strings.sidebar.sections[kind]}>
      <h2 className="px-4 pt-4 pb-1 text-xs font-semibold tracking-wide text-ink-faint uppercase">
        {strings.sidebar.sections[kind]}
      </h2>
      <ul>
        {channels.map((channel) => (
          <ChannelRow
            key={channel.id}
            channel={channel}
            onMenu={(isOpen) => setHeld(isOpen ? { channelId: channel.id, sections } : null)}
          />
        ))}
      </ul>
    </section>
  ));
}

/** The way to the threads that one follows, where they are kept apart from their channels. */
function ThreadsRow() {
  const news = useThreadNews();
  const { panel, open } = usePanel();
  if (news === null) return null;
  const { totalUnread, totalMentions } = news;
  const isOpen = panel === "threads";
  return (
    <div className="px-2 pt-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => open(isOpen ? null : "threads")}
        className={clsx(
          "flex w-full items-center gap-2.5 rounded-lg py-2 pr-10 pl-2 text-[0.95rem] md:py-1.5 pointer-coarse:min-h-11",
          isOpen ? "bg-selected" : "hover:bg-sunken",
          totalUnread > 0 ? "font-semibold text-ink" : "text-ink-soft",
        )}
      >
        <MessagesSquare aria-hidden size={17} className="mx-[3.5px] shrink-0 text-ink-faint" />
        {strings.threads.title}
        <UnreadMark count={totalMentions} isUnread={totalUnread > 0} />
        {totalUnread > 0 && <span className="sr-only">{strings.threads.unread(totalUnread)}</span>}
      </button>
    </div>
  );
}

/** The list of conversations, with search above and the account below. */
export function Sidebar() {
  const { open } = usePanel();
  const list = useRef<HTMLElement>(null);
  return (
    <div className="flex h-full flex-col">
      <header className="flex items-center justify-between gap-2 px-4 pt-3 pb-2">
        <Link href="/" prefetch={false} className="-my-1 flex items-center gap-2 py-1 font-semibold">
          <Logo className="size-7" />
          Hivegate
        </Link>
        <IconButton label={strings.sidebar.browse} onClick={() => open("finder")}>
          <SquarePen aria-hidden size={18} />
        </IconButton>
      </header>
      <div className="px-3 pb-1">
        <button
          type="button"
          onClick={() => open("finder")}
          className="flex h-9 pointer-coarse:h-10 w-full items-center gap-2 rounded-lg border border-line bg-sunken px-3 text-sm text-ink-soft hover:border-line-strong"
        >
          <Search aria-hidden size={15} />
          {strings.sidebar.find}
          <kbd className="ml-auto hidden font-mono text-xs md:inline">Ctrl K</kbd>
        </button>
      </div>
      <div className="relative flex min-h-0 grow flex-col">
        <nav ref={list} aria-label={strings.sidebar.label} className="grow overflow-y-auto pb-3">
          <ThreadsRow />
          <ChannelList />
        </nav>
        <UnreadPills list={list} />
      </div>
      <AccountMenu />
    </div>
  );
}
