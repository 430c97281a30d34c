"use client";

import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useIsCovered } from "../../_ui/panel.ts";
import { useChat, useOutgoing } from "../chat-context.ts";
import { type Channel, isSystemPost, type Post, type ShownChannel } from "../data/model.ts";
import { type Opening, reachesSeen } from "../data/read-latest.ts";
import type { useTimeline } from "../data/use-timeline.ts";
import { useMarkReadWhileReading, useReading, useUnreadSince, useWindowFocus } from "../data/use-view.ts";
import type { ListHandle, ListView, Place } from "../list/list-handle.ts";
import { MessageList } from "../list/message-list.tsx";
import { usePreparedMenu } from "../message/message.tsx";
import { strings } from "../strings.en.ts";
import { firstNewOf, foldAttendance, openingOf, type TimelineRow as Row, rowsOf } from "./rows.ts";
import { Announcer, Edge, JumpToLatest, JumpToNew, PageNotice, TimelineRow } from "./timeline-lines.tsx";
import { TimelineStart } from "./timeline-start.tsx";

type TimelineProps = {
  list: RefObject<ListHandle | null>;
  channelId: string;
  channel: Channel | undefined;
  /** The channel as its reader can see it. */
  shown: ShownChannel;
  isMember: boolean;
  name: string;
  posts: readonly Post[];
  pages: ReturnType<typeof useTimeline>;
  /**
   * True if replies show only in their threads; undefined while that is unknown, and no message counts as
   * read until then.
   */
  areThreadsApart: boolean | undefined;
  /**
   * True while posts stored on this device are shown: they stay in place, and do not count as read, until the
   * server has answered.
   */
  isKept: boolean;
  opening: Opening;
  anchor: Post | undefined;
  startsAtEnd: boolean;
  onLatest: () => void;
};

/** The messages of a channel. Only the rows near the view are rendered. */
export function Timeline({
  list,
  channelId,
  channel,
  shown,
  isMember,
  name,
  posts,
  pages,
  areThreadsApart,
  isKept,
  opening,
  anchor,
  startsAtEnd,
  onLatest,
}: TimelineProps) {
  const { me } = useChat();
  usePreparedMenu();
  const pending = useOutgoing(channelId, "");
  const { hasPreviousPage, hasNextPage } = pages;
  const page = usePaging(pages);
  const showsReplies = areThreadsApart === false;
  const told = useMemo(
    () => posts.filter(({ rootId }) => rootId === "" || showsReplies),
    [posts, showsReplies],
  );
  const anchorId = showsReplies ? anchor?.id : anchor?.rootId || anchor?.id;
  // The look of the oldest post depends on the post before it, so it is shown once that post has loaded.
  const rows = useMemo(
    () =>
      foldAttendance(
        rowsOf(told, hasNextPage ? [] : pending, {
          myId: me.id,
          lastViewedAt: opening.lastViewedAt,
          isStart: !hasPreviousPage,
        }),
      ).slice(hasPreviousPage && told[0]?.id !== anchorId ? 1 : 0),
    [told, pending, hasNextPage, hasPreviousPage, anchorId, me.id, opening.lastViewedAt],
  );
  const newest = told.at(-1);
  const [start] = useState((): Place => {
    const last = rows.at(-1);
    // A list that holds its end would move on to the posts in the answer.
    if (isKept && !anchor && last) return { key: last.key, align: "start" };
    return openingOf(rows, { anchor, startsAtEnd });
  });
  const [view, setView] = useState<ListView | null>(null);
  const [isReading, setIsReading] = useState(false);
  const newestAt = newest?.createAt ?? 0;
  const [seenUpTo, setSeenUpTo] = useState(
    opening.lastViewedAt ?? Math.max(channel?.lastPostAt ?? 0, newestAt),
  );
  const [isFirstNewSeen, setIsFirstNewSeen] = useState(false);
  const isNewSeen = isFirstNewSeen || opening.unread === 0;
  const onNewSeen = useCallback(() => setIsFirstNewSeen(true), []);

  const isFocused = useWindowFocus();
  const isCovered = useIsCovered();
  // Messages between the last seen one and the end can't have been read before they are loaded.
  const isBacklogLoaded = !hasPreviousPage || reachesSeen(posts, opening);
  // The messages that were counted may have been deleted since.
  const hasNew = !isBacklogLoaded || firstNewOf(rows) !== undefined;
  // A list that did not reach back to the seen messages opens at the end. New messages loaded later have not
  // been seen.
  const [opensAtNew, setOpensAtNew] = useState<boolean | null>(null);
  if (opensAtNew === null && !isKept) setOpensAtNew(isBacklogLoaded);
  const isInView = isReading && (isNewSeen || !hasNew || (opensAtNew === true && isBacklogLoaded));
  const isTakenAsRead =
    useUnreadSince(channelId) === null &&
    isInView &&
    isFocused &&
    !isCovered &&
    areThreadsApart !== undefined;
  useMarkReadWhileReading(channel, isTakenAsRead);
  useReading(channelId, isTakenAsRead);

  const onView = (seen: ListView) => {
    const isReadingNow = seen.isAtEnd && !hasNextPage && !isKept;
    if (isReading && !isReadingNow) setSeenUpTo(newestAt);
    setIsReading(isReadingNow);
    setView((known) => (isSameView(known, seen) ? known : seen));
    page(seen);
  };
  const showLatest = () => {
    if (hasNextPage) onLatest();
    else list.current?.show("end");
  };
  const scrollBy = (distance: number) => list.current?.scrollBy(distance);
  const seekNew = useSeekNew(list, rows, hasPreviousPage);
  const unseen = told.filter((post) => post.createAt > seenUpTo && post.userId !== me.id).length;
  // While the end isn't loaded, only the channel's own count includes the messages there.
  const below = hasNextPage ? (channel?.messageCount ?? 0) : unseen;

  const isSilent =
    pending.length === 0 && !hasNextPage && told.every((post) => isSystemPost(post) || post.deleteAt > 0);
  const beginning = !hasPreviousPage && (
    <TimelineStart shown={shown} isMember={isMember} isSilent={isSilent} />
  );

  return (
    <div data-timeline={channelId} className="relative flex min-h-0 grow flex-col">
      <MessageList
        ref={list}
        label={strings.timeline.label(name)}
        rows={rows}
        start={start}
        isComplete={!hasNextPage && !isKept}
        empty={beginning}
        onView={onView}
      >
        {(row, index) => (
          <>
            {index === 0 && beginning}
            <TimelineRow
              row={row}
              isLinked={row.kind === "post" && row.post.id === anchor?.id}
              onNewSeen={onNewSeen}
            />
          </>
        )}
      </MessageList>
      <Edge at="top" onWheel={scrollBy}>
        {!isNewSeen && hasNew && <JumpToNew count={opening.unread} onClick={seekNew} />}
        <PageNotice
          loading={strings.timeline.loadingOlder}
          isLoading={view?.isAtStart === true && hasPreviousPage}
          isFailed={pages.isFetchPreviousPageError}
          onRetry={() => void pages.fetchPreviousPage(BESIDE_READINGS)}
        />
      </Edge>
      <Edge at="bottom" onWheel={scrollBy}>
        <PageNotice
          loading={strings.timeline.loadingNewer}
          isLoading={view?.isAtEnd === true && hasNextPage}
          isFailed={pages.isFetchNextPageError}
          onRetry={() => void pages.fetchNextPage(BESIDE_READINGS)}
        />
        {view !== null && !isReading && <JumpToLatest count={below} onClick={showLatest} />}
      </Edge>
      <Announcer last={hasNextPage ? undefined : newest} />
    </div>
  );
}

function isSameView(known: ListView | null, seen: ListView): boolean {
  return known?.isAtStart === seen.isAtStart && known.isAtEnd === seen.isAtEnd;
}

/** Fetching a page must not cancel a refetch of the loaded pages, or its changes would be lost. */
const BESIDE_READINGS = { cancelRefetch: false };

/**
 * Fetches older and newer pages while their edge is near, one after the other, because a second request would
 * cancel the first. A page that failed waits for a retry. Returns the function to call with each change of
 * the view.
 */
function usePaging(pages: ReturnType<typeof useTimeline>) {
  // No effect event, because the list's handler also reads it.
  const latest = useRef(pages);
  latest.current = pages;
  const view = useRef<ListView | null>(null);

  const fetchNear = useCallback(() => {
    const { isFetching, isPaused, isFetchPreviousPageError, isFetchNextPageError } = latest.current;
    const { hasPreviousPage, fetchPreviousPage, hasNextPage, fetchNextPage } = latest.current;
    if (isFetching || isPaused) return;
    const { isNearStart = false, isNearEnd = false } = view.current ?? {};
    if (isNearStart && hasPreviousPage && !isFetchPreviousPageError) void fetchPreviousPage(BESIDE_READINGS);
    else if (isNearEnd && hasNextPage && !isFetchNextPageError) void fetchNextPage(BESIDE_READINGS);
  }, []);

  // A page that contains only replies adds no row, so the view would not change.
  const { data, isFetching } = pages;
  useEffect(() => {
    if (data && !isFetching) fetchNear();
  }, [data, isFetching, fetchNear]);

  return useCallback(
    (seen: ListView) => {
      view.current = seen;
      fetchNear();
    },
    [fetchNear],
  );
}

/**
 * Returns a function that moves to the first unseen message. If that message isn't loaded yet, the list moves
 * upwards page by page until it is.
 */
function useSeekNew(list: RefObject<ListHandle | null>, rows: readonly Row[], hasOlder: boolean): () => void {
  const [isSeeking, setIsSeeking] = useState(false);
  useEffect(() => {
    if (!isSeeking) return;
    const found = firstNewOf(rows);
    const target = found ?? rows[0];
    if (target) list.current?.show({ key: target.key, align: "start" });
    if (found || !hasOlder) setIsSeeking(false);
  }, [isSeeking, list, rows, hasOlder]);
  return () => setIsSeeking(true);
}
