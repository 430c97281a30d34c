"use client";

import { clsx } from "clsx";
import {
  ArrowDown,
  ArrowUp,
  AtSign,
  ChevronDown,
  ChevronUp,
  type LucideIcon,
  MessagesSquare,
  Search,
  SquarePen,
} from "lucide-react";
import Link from "next/link";
import { memo, type RefObject, useCallback, useEffect, useId, useRef, useState } from "react";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button } from "../../_ui/button.tsx";
import { useLanguage } from "../../_ui/choose-language.ts";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { Logo } from "../../_ui/logo.tsx";
import { Opener } from "../../_ui/opener.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { ThemeSwitch } from "../../_ui/theme.tsx";
import { useChat, usePanel } from "../chat-context.ts";
import { isUnread, mentionsAmong, type Section, standStill } from "../data/channels.ts";
import { useChosenChannel } from "../data/next-channel.ts";
import { pictureOf } from "../data/picture-of.ts";
import { useChannels, useSections } from "../data/use-channels.ts";
import { useAreThreadsApart, useThreadNews } from "../data/use-inbox.ts";
import { wheelDistance } from "../list/list-handle.ts";
import { strings } from "../strings.en.ts";
import { ChannelRow, UnreadMark } from "./channel-row.tsx";
import { useFolded } from "./folded-sections.ts";

/** Makes the list one Tab stop once its code has loaded; until then each row is a Tab stop. */
function useOneStop(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let isOver = false;
    let stop = () => {
      isOver = true;
    };
    import("./one-stop.ts")
      .then(({ makeOneStop }) => {
        if (!isOver && list.current) stop = makeOneStop(list.current);
      })
      .catch(() => undefined);
    return () => stop();
  }, [list]);
}

const loadAccountMenu = () => import("./account-menu.tsx");
const AccountMenu = loadClosable(() => loadAccountMenu().then((module) => module.AccountMenu));

const placeholders = ["w-24", "w-36", "w-28", "w-40", "w-32"];

function ChannelList() {
  const { data, isPending, refetch } = useChannels();
  const { open } = usePanel();
  const present = useSections();
  const [held, setHeld] = useState<{ channelId: string; sections: Section[] } | null>(null);
  const shown = useRef(present);
  const onMenu = useCallback((channelId: string, isOpen: boolean) => {
    setHeld(isOpen ? { channelId, sections: shown.current } : null);
  }, []);
  if (isPending)
    return placeholders.map((width) => <Skeleton key={width} className={`mx-4 my-3 h-5 ${width}`} />);
  // If a refetch fails, the present list stays.
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
        <Button size="small" tone="primary" onClick={() => open("browse")}>
          {strings.sidebar.browse}
        </Button>
      </div>
    );
  // A row that disappears takes its menu along without closing it.
  const isGone = held !== null && !data.some(({ id }) => id === held.channelId);
  if (isGone) setHeld(null);
  // A menu is attached to its row. If the row moved, another item would come under the pointer.
  const sections = held && !isGone ? standStill(held.sections, data) : present;
  shown.current = sections;
  return sections.map(({ kind, channels }) => (
    <ChannelSection key={kind} kind={kind} channels={channels} onMenu={onMenu} />
  ));
}

type ChannelSectionProps = Section & { onMenu: (channelId: string, isOpen: boolean) => void };

/** A group of conversations. A folded one shows only the open and the unread ones. */
function ChannelSection({ kind, channels, onMenu }: ChannelSectionProps) {
  const channelId = useChosenChannel();
  const [isFolded, fold] = useFolded(kind);
  const id = useId();
  const shown = isFolded
    ? channels.filter((channel) => channel.id === channelId || isUnread(channel))
    : channels;
  return (
    <section aria-label={strings.sidebar.sections[kind]}>
      <h2 className="px-2 pt-3">
        <button
          type="button"
          aria-expanded={!isFolded}
          aria-controls={id}
          onClick={() => fold(!isFolded)}
          className="flex w-full items-center gap-1 rounded-lg px-2 py-1 text-xs font-semibold tracking-wide text-ink-faint uppercase hover:bg-sunken pointer-coarse:min-h-11"
        >
          <span>{strings.sidebar.sections[kind]}</span>
          <ChevronDown
            aria-hidden
            size={14}
            className={clsx("shrink-0", isFolded && "-rotate-90 rtl:rotate-90")}
          />
        </button>
      </h2>
      <ul id={id}>
        {shown.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} isOpen={channel.id === channelId} onMenu={onMenu} />
        ))}
      </ul>
    </section>
  );
}

/** Links across channels: the followed threads, if they are separate, and the mentions. */
function PanelRows() {
  const { isApart } = useAreThreadsApart();
  const { totalMentions, totalUnread } = useThreadNews() ?? { totalMentions: 0, totalUnread: 0 };
  const mentions = mentionsAmong(useChannels().data ?? []);
  return (
    <div className="px-2 pt-2">
      {/* Threads are separate in most teams. A row that came with the inbox would move the list. */}
      {isApart !== false && (
        <PanelRow
          panel="threads"
          icon={MessagesSquare}
          title={strings.threads.title}
          mentions={totalMentions}
          isUnread={totalUnread > 0}
          told={strings.threads.unread(totalUnread)}
          isCounted
        />
      )}
      <PanelRow
        panel="mentions"
        icon={AtSign}
        title={strings.mentions.title}
        mentions={mentions}
        isUnread={mentions > 0}
        told={strings.sidebar.mentions(mentions)}
      />
    </div>
  );
}

type PanelRowProps = {
  panel: "threads" | "mentions";
  icon: LucideIcon;
  title: string;
  mentions: number;
  isUnread: boolean;
  /** The unread count, for screen readers. */
  told: string;
  /** True if no other row of the list counts these messages. */
  isCounted?: boolean;
};

function PanelRow({ panel, icon: Icon, title, mentions, isUnread, told, isCounted = false }: PanelRowProps) {
  const { panel: present, open } = usePanel();
  const isOpen = present === panel;
  return (
    <div {...(isCounted && isUnread && { "data-unread": mentions })}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => open(isOpen ? null : panel)}
        className={clsx(
          "flex w-full items-center gap-2.5 rounded-lg py-2 pe-10 pointer-coarse:pe-12 ps-2 text-md hover:bg-sunken md:py-1.5 pointer-coarse:min-h-11",
          // While a panel is open, the selected item is the channel beside it.
          isOpen || isUnread ? "text-ink" : "text-ink-soft",
          isUnread && "font-semibold",
        )}
      >
        <Icon
          aria-hidden
          size={17}
          className={clsx("mx-[3.5px] shrink-0", isOpen ? "text-ink" : "text-ink-faint")}
        />
        <span>{title}</span>
        <UnreadMark count={mentions} isUnread={isUnread} />
        {isUnread && <span className="sr-only">{told}</span>}
      </button>
    </div>
  );
}

/**
 * The list of conversations, with search above and the account below: part of a page or, if `isAlone`, the
 * page itself.
 */
export const Sidebar = memo(function Sidebar({ isAlone }: { isAlone: boolean }) {
  useLanguage();
  const Top = isAlone ? "div" : "header";
  const Bottom = isAlone ? "div" : "footer";
  const { open } = usePanel();
  const list = useRef<HTMLElement>(null);
  useOneStop(list);
  return (
    <div className="flex h-full flex-col">
      <Top className="flex items-center justify-between gap-2 px-4 pt-3 pb-2">
        <Link href="/" prefetch={false} className="-my-2 flex items-center gap-2 py-2 font-semibold">
          <Logo className="size-7" />
          Hivegate
        </Link>
        <IconButton label={strings.sidebar.browse} onClick={() => open("browse")}>
          <SquarePen aria-hidden size={18} />
        </IconButton>
      </Top>
      <div className="px-3 pb-1">
        <button
          type="button"
          onClick={() => open("finder")}
          className="flex h-9 pointer-coarse:h-11 w-full items-center gap-2 rounded-lg border border-line bg-sunken px-3 text-sm text-ink-soft hover:border-line-strong"
        >
          <Search aria-hidden size={15} />
          {strings.sidebar.find}
          <kbd className="ms-auto hidden font-sans text-xs md:inline">Ctrl K</kbd>
        </button>
      </div>
      <div className="relative flex min-h-0 grow flex-col">
        <nav ref={list} aria-label={strings.sidebar.label} className="grow overflow-y-auto pb-3">
          <PanelRows />
          <ChannelList />
        </nav>
        <UnreadPills list={list} />
      </div>
      <Bottom>
        <Account />
      </Bottom>
    </div>
  );
});

/** The signed-in user, with the account menu. */
function Account() {
  const { me } = useChat();
  return (
    <div className="flex items-center gap-1 border-t border-line p-2">
      <Opener kind="menu" load={loadAccountMenu} part={(opened) => <AccountMenu opened={opened} />}>
        <button
          type="button"
          aria-label={strings.account.menu(me.username)}
          className="flex min-w-0 grow items-center gap-2.5 rounded-lg p-1.5 text-start hover:bg-sunken"
        >
          <Avatar name={me.username} imageUrl={pictureOf(me)} />
          <span className="truncate font-medium">{me.username}</span>
          <ChevronUp aria-hidden size={16} className="ms-auto shrink-0 text-ink-faint" />
        </button>
      </Opener>
      <ThemeSwitch />
    </div>
  );
}

type Beyond = { unread: number; mentions: number };
type OutOfSight = { above: Beyond; below: Beyond };

const ROW = "[data-unread]";
const nothing: OutOfSight = { above: { unread: 0, mentions: 0 }, below: { unread: 0, mentions: 0 } };

/** Returns the unread rows beyond the upper or lower edge of a scrolling list. */
function rowsBeyond(list: HTMLElement, edge: keyof OutOfSight): HTMLElement[] {
  const { top, bottom } = list.getBoundingClientRect();
  return [...list.querySelectorAll<HTMLElement>(ROW)].filter((row) => {
    const place = row.getBoundingClientRect();
    return edge === "above" ? place.bottom <= top + place.height / 2 : place.top >= bottom - place.height / 2;
  });
}

function count(list: HTMLElement, edge: keyof OutOfSight): Beyond {
  const rows = rowsBeyond(list, edge);
  const mentions = rows.reduce((sum, row) => sum + Number(row.dataset.unread), 0);
  return { unread: rows.length, mentions };
}

/**
 * Shows how many conversations are unread beyond the edges of the list, and scrolls to the nearest, mentions
 * first.
 */
function UnreadPills({ list }: { list: RefObject<HTMLElement | null> }) {
  const [beyond, setBeyond] = useState(nothing);
  useEffect(() => {
    const place = list.current;
    if (!place) return;
    const look = () => {
      const seen = { above: count(place, "above"), below: count(place, "below") };
      setBeyond((known) => (JSON.stringify(known) === JSON.stringify(seen) ? known : seen));
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(place);
    const rows = new MutationObserver(look);
    rows.observe(place, { subtree: true, childList: true, attributeFilter: ["data-unread"] });
    place.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      rows.disconnect();
      place.removeEventListener("scroll", look);
    };
  }, [list]);

  const show = (edge: keyof OutOfSight) => {
    const rows = list.current ? rowsBeyond(list.current, edge) : [];
    const mentioning = rows.filter(({ dataset }) => Number(dataset.unread) > 0);
    const nearest = (mentioning.length > 0 ? mentioning : rows).at(edge === "above" ? -1 : 0);
    nearest?.scrollIntoView({ block: "center" });
    nearest?.querySelector<HTMLElement>("a, button")?.focus({ preventScroll: true });
  };
  return (["above", "below"] as const).map((edge) => {
    const { unread, mentions } = beyond[edge];
    if (unread === 0) return null;
    const Arrow = edge === "above" ? ArrowUp : ArrowDown;
    return (
      <button
        key={edge}
        type="button"
        onClick={() => show(edge)}
        onWheel={(event) => list.current?.scrollBy({ top: wheelDistance(event), behavior: "instant" })}
        className={`absolute inset-x-0 z-10 mx-auto flex h-8 w-fit items-center gap-1.5 rounded-full border border-line bg-raised px-3 text-xs font-semibold whitespace-nowrap text-ink shadow-lift hover:border-line-strong pointer-coarse:h-11 ${edge === "above" ? "top-2" : "bottom-2"}`}
      >
        <Arrow aria-hidden size={14} />
        {mentions > 0
          ? strings.sidebar.mentionsBeyond[edge](mentions)
          : strings.sidebar.unreadBeyond[edge](unread)}
      </button>
    );
  });
}
