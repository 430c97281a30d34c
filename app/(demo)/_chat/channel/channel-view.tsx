"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { type RefObject, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { ChatError } from "#lib/chat-client/index.ts";
import { coveredPart, hasRoomForTwo } from "../../_ui/panel.ts";
import { Scrim } from "../../_ui/side-panel.tsx";
import { hasKeys } from "../../_ui/text-field.tsx";
import {
  ConversationContext,
  type Panel,
  type Standing,
  useChat,
  useOutgoing,
  usePanel,
} from "../chat-context.ts";
import { Composer } from "../composer/composer.tsx";
import { catchFocus, isFocusLost, useTypeAnywhere } from "../composer/focus-composer.ts";
import { TypingLine } from "../composer/typing-line.tsx";
import { queryKeys } from "../data/cache.ts";
import { channelName } from "../data/channels.ts";
import { findEdit } from "../data/drafts.ts";
import { type Channel, isSystemPost, type Post } from "../data/model.ts";
import { endNext } from "../data/next-channel.ts";
import { type Opening, openingOf } from "../data/read-latest.ts";
import { keptPostsOf, type Timeline as Pages, postsOf, type TimelinePage } from "../data/timeline-pages.ts";
import { useChannels } from "../data/use-channels.ts";
import { useAreThreadsApart } from "../data/use-inbox.ts";
import { useTimeline } from "../data/use-timeline.ts";
import { openForReading, useMarkRead, useUnreadSince } from "../data/use-view.ts";
import type { ListHandle } from "../list/list-handle.ts";
import { useTabLeads } from "../message/message-focus.ts";
import { prepareLatest, prepareMessages, prepareText } from "../message/prepare-texts.ts";
import { useArePostsSettled } from "../message/settled-posts.ts";
import { ThreadsContext, threadsOf } from "../message/thread-summary.tsx";
import { StandingBar, standingText } from "../people/standing-bar.tsx";
import { AwaitedMessages } from "../shell/awaited-messages.tsx";
import { ThreadPanel } from "../thread/thread-panel.tsx";
import { findLastOwn } from "../timeline/rows.ts";
import { Timeline } from "../timeline/timeline.tsx";
import { ChannelFailure, UnplacedFiles } from "./channel-failure.tsx";
import { ChannelHeader } from "./channel-header.tsx";
import { GuestBar } from "./guest-bar.tsx";

/** The channel that the address names, opened at the post in the address if there is one. */
export function ChannelView({ channelId }: { channelId: string }) {
  const address = useSearchParams();
  const channels = useChannels();
  const [startsAtEnd, setStartsAtEnd] = useState(false);
  const anchor = address.get("post");
  useEffect(() => openForReading(channelId), [channelId]);
  useEffect(() => {
    void (anchor === null ? prepareLatest(channelId) : prepareMessages());
  }, [channelId, anchor]);

  const cache = useQueryClient();
  const isListKept = !channels.isError && channels.data?.some(({ isKept }) => isKept) === true;
  const place = `${channelId}:${anchor ?? ""}`;
  const [openPlace, setOpenPlace] = useState<string | null>(null);
  const kept = cache.getQueryData<Pages>(queryKeys.timeline(channelId, anchor ?? "latest"));
  const mayOpen = !channels.isPending && (!isListKept || keptPostsOf(kept).length > 0);
  if (mayOpen && openPlace !== place) setOpenPlace(place);

  // The channel list says where the reader stopped, so it loads first. Stored messages are shown without it.
  if (!mayOpen && openPlace !== place) return <AwaitedMessages />;
  return (
    <OpenChannel
      key={place}
      channelId={channelId}
      channel={channels.data?.find(({ id }) => id === channelId)}
      isListKept={isListKept}
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

type OpenChannelProps = {
  channelId: string;
  /** The reader's own entry; absent for non-members. */
  channel: Channel | undefined;
  /** True while the list comes from the device and the gateway's answer is pending. */
  isListKept: boolean;
  anchor: string | null;
  thread: string | null;
  startsAtEnd: boolean;
  onLatest: () => void;
};

/** An open channel: its header, messages and composer, and an open thread beside them. */
function OpenChannel({
  channelId,
  channel,
  isListKept,
  anchor,
  thread,
  startsAtEnd,
  onLatest,
}: OpenChannelProps) {
  const { me } = useChat();
  const { returnFrom } = usePanel();
  const list = useRef<ListHandle>(null);
  const [opening, setOpening] = useState(() => openingOf(isListKept ? undefined : channel));
  const [isListed, setIsListed] = useState(!isListKept);
  if (!isListed && !isListKept) {
    setIsListed(true);
    setOpening(openingOf(channel));
  }
  const unreadSince = useUnreadSince(channelId);
  if (unreadSince !== null && unreadSince !== opening.lastViewedAt)
    setOpening({ ...opening, lastViewedAt: unreadSince });
  const timeline = useTimeline(channelId, anchor, opening, prepareMessages);
  const outgoing = useOutgoing(channelId, "");
  const [editingId, setEditingId] = useState(() => findEdit(me.username, channelId));
  const posts = useMemo(() => postsOf(timeline.data), [timeline.data]);
  const isSettled = useArePostsSettled(timeline.isPending ? null : posts);
  const threads = useMemo(() => threadsOf(posts), [posts]);
  const { isApart, isAwaited } = useAreThreadsApart();
  // Whether threads are separate may decide where the list opens.
  const awaitsThreads = isAwaited && posts.some((post) => post.rootId !== "" && isNewIn(post, opening));
  const anchorPost = posts.find(({ id }) => id === anchor);
  const { rootId, opener, openThread, leaveThread } = useThreadAddress(channelId, thread, anchorPost);
  const closeThread = () => {
    leaveThread();
    if (rootId !== null) returnFrom(rootId);
  };
  useEscape(channelId, rootId === null ? null : closeThread);

  const answer = timeline.data?.pages.at(-1);
  const shown = channel ?? answer?.channel;
  const name = shown ? channelName(shown, me.id) : "";
  const canModerate = answer?.canModerate ?? false;
  const standing = useStanding(channel !== undefined, answer, timeline.error);
  const isMember = standing === "member";
  useRefetchUnlisted(channelId, channel);
  usePreparedForTyping(channelId);
  useTypeAnywhere();
  useTabLeads();
  const isReadOnly = !isMember && !timeline.isPending;
  useEffect(() => {
    if (isReadOnly) endNext(channelId);
  }, [isReadOnly, channelId]);
  useChannelFocus(isMember, rootId, opener);
  const conversation = useMemo(
    () => ({ channelId, canModerate, standing, isMember, editingId, setEditingId, openThread }),
    [channelId, canModerate, standing, isMember, editingId, openThread],
  );

  const showEnd = () => {
    if (timeline.hasNextPage) onLatest();
    else list.current?.show("end");
  };
  const editLast = () => {
    const last = findLastOwn(posts, outgoing, me.id, "");
    if (last) setEditingId(last);
  };
  const replyLast = () => {
    const last = posts.findLast((post) => post.rootId === "" && !isSystemPost(post) && post.deleteAt === 0);
    if (last) openThread(last.id);
  };

  // Hides the stored messages of a channel that the reader can no longer see.
  const isRefused = timeline.error instanceof ChatError && [403, 404].includes(timeline.error.status);
  if (timeline.isError && (!timeline.data || (isRefused && answer?.isKept)))
    return (
      <ChannelFailure
        channelId={channelId}
        error={timeline.error}
        isAnchored={anchor !== null}
        isMember={isMember}
        isBusy={timeline.isFetching}
        onRetry={() => void timeline.refetch()}
        onLatest={onLatest}
      />
    );
  return (
    <ConversationContext.Provider value={conversation}>
      <section ref={coveredPart} aria-label={name} className="flex min-w-0 grow flex-col">
        <ChannelHeader
          shown={shown}
          channel={channel}
          memberCount={answer?.memberCount}
          isMember={isMember}
          isRead={answer !== undefined}
        />
        {timeline.isPending || !isSettled || awaitsThreads || !shown ? (
          <AwaitedMessages isHere={!timeline.isPending} />
        ) : (
          <ThreadsContext.Provider value={threads}>
            <Timeline
              key={String(isApart !== false)}
              list={list}
              channelId={channelId}
              channel={channel}
              shown={shown}
              isMember={isMember}
              name={name}
              posts={posts}
              pages={timeline}
              areThreadsApart={isApart}
              isKept={isListKept || keptPostsOf(timeline.data).length > 0}
              opening={opening}
              anchor={anchorPost}
              startsAtEnd={startsAtEnd}
              onLatest={onLatest}
            />
          </ThreadsContext.Provider>
        )}
        {standing === "member" ? (
          <div className="column pb-3">
            <TypingLine channelId={channelId} rootId="" />
            <Composer
              channelId={channelId}
              rootId=""
              name={name}
              memberCount={answer?.memberCount}
              onText={prepareText}
              onSent={showEnd}
              onEditLast={editLast}
              onReplyLast={replyLast}
            />
          </div>
        ) : standing === "guest" ? (
          shown && (
            <GuestBar
              shown={shown}
              memberCount={answer?.memberCount}
              posts={posts}
              isAtEnd={!timeline.hasNextPage}
            />
          )
        ) : (
          !timeline.isPending && (
            <StandingBar
              channelId={channelId}
              rootId=""
              standing={standing}
              isPrivate={shown?.type !== "O"}
              mayLeave={standing !== "deactivated" && answer !== undefined && answer.member !== null}
            />
          )
        )}
        {standing !== "member" && !timeline.isPending && (
          <UnplacedFiles channelId={channelId} refusal={standingText(standing, shown?.type !== "O")} />
        )}
      </section>
      {rootId && (
        <>
          <Scrim onPress={closeThread} />
          <ThreadPanel
            key={rootId}
            channelId={channelId}
            rootId={rootId}
            place={name}
            isPrivate={shown?.type !== "O"}
            memberCount={answer?.memberCount}
            highlighted={anchor}
            onClose={closeThread}
          />
        </>
      )}
    </ConversationContext.Provider>
  );
}

const isNewIn = ({ createAt }: Post, { lastViewedAt }: Opening): boolean =>
  lastViewedAt !== null && createAt > lastViewedAt;

/** Returns the reader's relation to the channel, from its last page and the events since. */
function useStanding(isListed: boolean, page: TimelinePage | undefined, error: Error | null): Standing {
  const isRefused = error instanceof ChatError && [403, 404].includes(error.status);
  const isIn = isListed || (page !== undefined && page.member !== null && !isRefused);
  const [wasIn, setWasIn] = useState(isIn);
  if (isIn && !wasIn) setWasIn(true);
  if (page !== undefined && page.channel.deleteAt > 0) return "archived";
  if (!isListed && page?.channel.directUser?.isDeactivated) return "deactivated";
  return isIn ? "member" : wasIn ? "removed" : "guest";
}

/**
 * Refetches a conversation that leaves the list, to learn whether it was hidden or its partner was
 * deactivated.
 */
function useRefetchUnlisted(channelId: string, channel: Channel | undefined): void {
  const cache = useQueryClient();
  const wasConversation = useRef(false);
  useEffect(() => {
    if (!channel && wasConversation.current)
      void cache.invalidateQueries({ queryKey: queryKeys.timelinesOf(channelId) });
    wasConversation.current = channel?.type === "D";
  }, [cache, channelId, channel]);
}

/** Gets ready to show formatted messages while someone types one here, so that it is not shown plain at first. */
function usePreparedForTyping(channelId: string): void {
  const { typing } = useChat();
  useEffect(
    () =>
      typing.subscribe(() => {
        if (typing.snapshot().some((typist) => typist.channelId === channelId)) void prepareMessages();
      }),
    [typing, channelId],
  );
}

/**
 * The open thread, which is part of the address (`?thread=<root id>`), so that links and the back button
 * work. A link to a reply opens its thread. `opener` is the element that had the focus before the thread was
 * opened, and the thread's root.
 */
function useThreadAddress(channelId: string, thread: string | null, anchor: Post | undefined) {
  const implied = anchor?.rootId || null;
  const opener = useRef<Opener>(null);

  const openThread = useCallback((rootId: string) => {
    opener.current = { element: document.activeElement, rootId };
    const address = new URL(window.location.href);
    address.searchParams.set("thread", rootId);
    window.history.pushState(null, "", address);
  }, []);

  const leaveThread = () => {
    const address = new URL(`/chat/${channelId}`, window.location.origin);
    const post = implied ?? anchor?.id;
    if (post) address.searchParams.set("post", post);
    window.history.pushState(null, "", address);
  };

  return { rootId: thread ?? implied, opener, openThread, leaveThread };
}

type Opener = { element: Element | null; rootId: string };

/**
 * Returns the focus after a thread has closed to the element that opened it. On a touch screen this element is often
 * gone, so the message gets the focus.
 */
function returnFocus({ element, rootId }: Opener): void {
  if (element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true });
  if (isFocusLost() && !hasKeys())
    document.querySelector<HTMLElement>(`[data-post="${rootId}"]`)?.focus({ preventScroll: true });
}

/**
 * Keeps keyboard focus in the channel when the focused element disappears: closing a thread returns it to `opener`,
 * and opening or joining a channel moves it to the composer.
 */
function useChannelFocus(isWritable: boolean, rootId: string | null, opener: RefObject<Opener | null>): void {
  useEffect(() => {
    if (rootId !== null) return;
    const before = opener.current;
    opener.current = null;
    if (before && isFocusLost()) returnFocus(before);
    if (isWritable) catchFocus("");
  }, [isWritable, rootId, opener]);
}

/** Panels beside the conversation. A panel that covers the conversation as a dialog closes itself. */
const sidePanels: readonly Panel[] = ["search", "threads", "mentions", "pinned", "members", "wire"];

/** Makes Esc close the topmost open panel or thread or, if none is open, mark the channel as read. */
function useEscape(channelId: string, closeThread: (() => void) | null) {
  const markRead = useMarkRead();
  const { panel, open } = usePanel();
  const closeTopmost = useEffectEvent(() => {
    if (sidePanels.includes(panel) && (!closeThread || !hasRoomForTwo())) open(null);
    else if (closeThread) closeThread();
    // If marking fails, the next visit repeats it.
    else markRead(channelId).catch(() => undefined);
  });

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // An element that closed itself on this key has prevented the default.
      if (event.key === "Escape" && !event.defaultPrevented) closeTopmost();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
