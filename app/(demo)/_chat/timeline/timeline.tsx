"use client";

import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useChat } from "../chat-context.ts";
import type { Channel, Post } from "../data/model.ts";
import type { useTimeline } from "../data/use-timeline.ts";
import { useMarkReadWhileReading } from "../data/use-view.ts";
import { messages } from "../messages.en.ts";
import { Announcer } from "./announcer.tsx";
import { JumpButtons } from "./jump-buttons.tsx";
import { openingOf, rowsOf } from "./rows.ts";
import { TimelineRow } from "./timeline-row.tsx";
import { TimelineStart } from "./timeline-start.tsx";
import { useFirstIndex } from "./use-first-index.ts";
import { useOutgoing } from "./use-outgoing.ts";
import { usePaging } from "./use-paging.ts";
import { useWindowFocus } from "./use-window-focus.ts";

const FEW_ROWS = 25;
const RENDERED_AHEAD_PX = { top: 1_600, bottom: 1_200 };
const NEAR_END_PX = 24;
const SETTLED_AFTER_MS = 500;
/** The list can't hold its place while its very first row is rendered, so older ones come well before. */
const ROWS_KEPT_ABOVE = 60;

type TimelineProps = {
  list: RefObject<VirtuosoHandle | null>;
  channelId: string;
  channel: Channel | undefined;
  name: string;
  posts: readonly Post[];
  pages: ReturnType<typeof useTimeline>;
  opening: { unread: number; lastViewedAt: number | null };
  anchor: Post | undefined;
  startsAtEnd: boolean;
  onLatest: () => void;
};

/** The messages of a channel; only the rows near the view exist. */
export function Timeline({
  list,
  channelId,
  channel,
  name,
  posts,
  pages,
  opening,
  anchor,
  startsAtEnd,
  onLatest,
}: TimelineProps) {
  const { me, setReading } = useChat();
  const pending = useOutgoing(channelId, "");
  const { hasPreviousPage, hasNextPage } = pages;
  const ask = usePaging(pages);
  const roots = useMemo(() => posts.filter(({ root_id }) => root_id === ""), [posts]);
  const anchorId = anchor?.root_id || anchor?.id;
  // How the oldest post looks depends on the one before it: it is shown when that is known.
  const rows = useMemo(
    () =>
      rowsOf(roots, hasNextPage ? [] : pending, {
        myId: me.id,
        lastViewedAt: opening.lastViewedAt,
        isStart: !hasPreviousPage,
      }).slice(hasPreviousPage && roots[0]?.id !== anchorId ? 1 : 0),
    [roots, pending, hasNextPage, hasPreviousPage, anchorId, me.id, opening.lastViewedAt],
  );
  const firstIndex = useFirstIndex(rows);
  const newest = roots.at(-1);
  const [start] = useState(() => openingOf(rows, { anchor, startsAtEnd }));
  // The list only tells of changes, and at a linked message it need not begin at its end.
  const [isAtBottom, setIsAtBottom] = useState<boolean | null>(anchor ? false : null);
  const [seenUpTo, setSeenUpTo] = useState(opening.lastViewedAt ?? newest?.create_at ?? 0);
  const [isNewSeen, setIsNewSeen] = useState(opening.unread === 0);

  const isReading = isAtBottom === true && !hasNextPage;
  const isFocused = useWindowFocus();
  useMarkReadWhileReading(channel, isReading && isFocused);
  useEffect(() => {
    setReading(isReading ? channelId : null);
    return () => setReading(null);
  }, [isReading, channelId, setReading]);

  // A page of replies alone has too few rows for the list to ask for more.
  const { isFetching, isFetchPreviousPageError } = pages;
  const needsMore = rows.length < FEW_ROWS && hasPreviousPage && !isFetching && !isFetchPreviousPageError;
  useEffect(() => {
    if (needsMore) ask("older");
  }, [needsMore, ask]);

  // Rows that complete the list are no news, and the list asks a moment later: whoever reads in its middle stays there.
  const isLive = useRef(false);
  const measuredRows = useRef(0);
  useEffect(() => {
    isLive.current = false;
    if (hasNextPage) return;
    const timer = setTimeout(() => {
      isLive.current = true;
    }, SETTLED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [hasNextPage]);

  const onBottom = (isNow: boolean) => {
    if (isAtBottom === true && !isNow) setSeenUpTo(newest?.create_at ?? 0);
    setIsAtBottom(isNow);
  };
  const showLatest = () => {
    if (hasNextPage) onLatest();
    else list.current?.scrollToIndex({ index: "LAST", align: "end" });
  };
  const showFirstNew = () => {
    const index = rows.findIndex((row) => row.kind === "post" && row.isFirstNew);
    list.current?.scrollToIndex({ index: Math.max(0, index), align: "start" });
    setIsNewSeen(true);
  };
  const below = roots.filter((post) => post.create_at > seenUpTo && post.user_id !== me.id).length;

  return (
    <div className="relative min-h-0 grow">
      <Virtuoso
        ref={list}
        role="log"
        aria-live="off"
        aria-label={messages.timeline.label(name)}
        className="h-full overscroll-contain"
        data={rows}
        firstItemIndex={firstIndex}
        initialTopMostItemIndex={start}
        computeItemKey={(_index, row) => row.key}
        defaultItemHeight={48}
        // A frame later the rows in view would already have moved by what a row above them differs from the guess.
        skipAnimationFrameInResizeObserver
        increaseViewportBy={RENDERED_AHEAD_PX}
        alignToBottom
        atBottomThreshold={NEAR_END_PX}
        atBottomStateChange={onBottom}
        totalListHeightChanged={() => {
          // A reaction or a reply count makes a row grow; whoever reads the end keeps seeing it.
          const hasSameRows = measuredRows.current === rows.length;
          measuredRows.current = rows.length;
          if (isReading && hasSameRows && (isLive.current || !anchor))
            list.current?.scrollToIndex({ index: "LAST", align: "end" });
        }}
        followOutput={(isNow) => isNow && isLive.current && "auto"}
        startReached={() => ask("older")}
        rangeChanged={({ startIndex }) => {
          // A list that opens in its middle would lose its place on the way there.
          if (start.align === "end" && startIndex - firstIndex < ROWS_KEPT_ABOVE) ask("older");
        }}
        endReached={() => ask("newer")}
        context={{ isStart: !hasPreviousPage, isEmpty: rows.length === 0 }}
        components={{ Header: TimelineStart, Footer: TimelineEnd }}
        itemContent={(_index, row) => (
          <TimelineRow
            row={row}
            isLinked={row.kind === "post" && row.post.id === anchor?.id}
            onNewSeen={() => setIsNewSeen(true)}
          />
        )}
      />
      <JumpButtons
        unseen={isNewSeen ? 0 : opening.unread}
        below={isReading || isAtBottom === null ? null : below}
        onNew={showFirstNew}
        onLatest={showLatest}
      />
      <Announcer last={hasNextPage ? undefined : newest} />
    </div>
  );
}

function TimelineEnd() {
  return <div className="h-3" />;
}
