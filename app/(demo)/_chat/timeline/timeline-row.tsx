"use client";

import { memo } from "react";
import { Message } from "../message/message.tsx";
import { PendingMessage } from "../message/pending-message.tsx";
import { AttendanceMessage } from "../message/system-message.tsx";
import type { TimelineRow as Row } from "./rows.ts";
import { DayLine, NewLine } from "./timeline-lines.tsx";

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
  if (row.kind === "pending") return <PendingMessage post={row.post} />;
  const first = row.kind === "fold" ? row.posts[0] : row.post;
  if (!first) return null;
  return (
    <>
      {row.startsDay && <DayLine time={first.create_at} />}
      {row.isFirstNew && <NewLine onSeen={onNewSeen} />}
      {row.kind === "fold" ? (
        <AttendanceMessage posts={row.posts} />
      ) : (
        <Message post={row.post} isGrouped={row.isGrouped} isLinked={isLinked} isInThread={false} />
      )}
    </>
  );
});
