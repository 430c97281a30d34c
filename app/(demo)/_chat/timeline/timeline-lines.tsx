"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { memo, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { Button } from "../../_ui/button.tsx";
import { useLanguage } from "../../_ui/choose-language.ts";
import { useChat } from "../chat-context.ts";
import { channelNews, saidIn } from "../data/channel-news.ts";
import type { Post } from "../data/model.ts";
import { dayName } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { emojify } from "../emoji/emojify.ts";
import { wheelDistance } from "../list/list-handle.ts";
import { Message } from "../message/message.tsx";
import { PendingMessage } from "../message/pending-message.tsx";
import { AttendanceMessage } from "../message/system-message.tsx";
import { strings } from "../strings.en.ts";
import type { TimelineRow as Row } from "./rows.ts";

/** The line between two days. */
export function DayLine({ time }: { time: number }) {
  return (
    <div className="column flex items-center gap-3 pt-5 pb-2 text-xs font-medium text-ink-soft">
      <span aria-hidden className="h-px grow bg-line" />
      <time dateTime={new Date(time).toISOString()}>{dayName(time)}</time>
      <span aria-hidden className="h-px grow bg-line" />
    </div>
  );
}

/** The line above the first message that the reader has not seen. It reports when it comes into view. */
export function NewLine({ onSeen }: { onSeen?: () => void }) {
  const line = useRef<HTMLDivElement>(null);
  const see = useEffectEvent(() => onSeen?.());

  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) see();
    });
    if (line.current) observer.observe(line.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={line} className="column flex items-center gap-3 pt-3 pb-1 text-xs font-semibold text-ink">
      <span aria-hidden className="h-px grow bg-line-strong" />
      {strings.timeline.newMessages}
      <span aria-hidden className="h-px grow bg-line-strong" />
    </div>
  );
}

/** The line at an edge of the timeline that says that the next page is loading, or could not be loaded. */
export function PageNotice({
  loading,
  isLoading,
  isFailed,
  onRetry,
}: {
  loading: string;
  isLoading: boolean;
  isFailed: boolean;
  onRetry: () => void;
}) {
  if (!isFailed && !isLoading) return null;
  return (
    <div
      role="status"
      className="pointer-events-auto flex max-w-full items-center gap-3 rounded-full border border-line bg-raised py-1 pe-1 ps-4 text-sm text-ink-soft shadow-lift"
    >
      <p className="py-1 pe-3">{isFailed ? strings.timeline.pageFailed : loading}</p>
      {isFailed && (
        <Button size="small" className="shrink-0 rounded-full!" onClick={onRetry}>
          {strings.failed.retry}
        </Button>
      )}
    </div>
  );
}

const look =
  "pointer-events-auto inline-flex h-9 items-center gap-2 rounded-full border border-line bg-raised px-4 text-sm font-medium text-ink shadow-lift hover:border-line-strong pointer-coarse:h-11";

/** A button that leads to the first unseen message; `count` were unread at the opening. */
export function JumpToNew({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <button type="button" className={look} onClick={onClick}>
      <ArrowUp aria-hidden size={16} />
      {strings.timeline.jumpToNew(count)}
    </button>
  );
}

/** A button that leads to the newest message; `count` arrived since the end was in view. */
export function JumpToLatest({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <button type="button" className={look} onClick={onClick}>
      <ArrowDown aria-hidden size={16} />
      {count > 0 ? strings.timeline.latestWith(count) : strings.timeline.jumpToLatest}
    </button>
  );
}

type EdgeProps = {
  at: "top" | "bottom";
  /** Called with the pixels that the wheel would scroll, when it is turned over the edge. */
  onWheel: (distance: number) => void;
  children: ReactNode;
};

/** An overlay on an edge of the timeline. The mouse still reaches the messages next to it. */
export function Edge({ at, onWheel, children }: EdgeProps) {
  const place = at === "top" ? "top-3" : "bottom-3";
  return (
    <div
      onWheel={(event) => onWheel(wheelDistance(event))}
      className={`pointer-events-none absolute inset-x-0 z-10 flex flex-col items-center gap-2 px-3 ${place}`}
    >
      {children}
    </div>
  );
}

const SPOKEN_CHARACTERS = 200;

/** Announces incoming messages to screen readers. The list itself, which recycles its rows, stays silent. */
export function Announcer({ last }: { last: Post | undefined }) {
  const { me } = useChat();
  const [openedAfter] = useState(last?.createAt ?? 0);
  const author = useUser(last?.userId ?? "");
  const isNews =
    last !== undefined && last.createAt > openedAfter && last.userId !== me.id && last.deleteAt === 0;
  const name = author?.username ?? strings.sidebar.unknownPerson;
  return (
    <div aria-live="polite" className="sr-only">
      {isNews &&
        strings.timeline.from(name, emojify(channelNews(last) ?? saidIn(last)).slice(0, SPOKEN_CHARACTERS))}
    </div>
  );
}

/** A message with the lines above it that belong to it. */
export const TimelineRow = memo(function TimelineRow({
  row,
  isLinked,
  onNewSeen,
}: {
  row: Row;
  isLinked: boolean;
  onNewSeen: () => void;
}) {
  useLanguage();
  if (row.kind === "pending") return <PendingMessage post={row.post} />;
  const first = row.kind === "fold" ? row.posts[0] : row.post;
  if (!first) return null;
  return (
    <>
      {row.startsDay && <DayLine time={first.createAt} />}
      {row.isFirstNew && <NewLine onSeen={onNewSeen} />}
      {row.kind === "fold" ? (
        <AttendanceMessage posts={row.posts} />
      ) : (
        <Message post={row.post} isGrouped={row.isGrouped} isLinked={isLinked} isInThread={false} />
      )}
    </>
  );
});
