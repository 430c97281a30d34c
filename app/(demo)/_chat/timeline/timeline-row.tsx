"use client";

import { memo } from "react";
import { Message } from "../message/message.tsx";
import { PendingMessage } from "../message/pending-message.tsx";
import { DayLine } from "./day-line.tsx";
import { NewLine } from "./new-line.tsx";
import type { Row } from "./rows.ts";

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
  return (
    <>
      {row.startsDay && <DayLine time={row.post.create_at} />}
      {row.isFirstNew && <NewLine onSeen={onNewSeen} />}
      <Message post={row.post} isGrouped={row.isGrouped} isLinked={isLinked} isInThread={false} />
    </>
  );
});
