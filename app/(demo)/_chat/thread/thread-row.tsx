"use client";

import { memo } from "react";
import { Message } from "../message/message.tsx";
import { PendingMessage } from "../message/pending-message.tsx";
import { strings } from "../strings.en.ts";
import { DayLine } from "../timeline/day-line.tsx";
import type { Row } from "../timeline/rows.ts";

/** A reply, or the root with the number of replies under it. */
export const ThreadRow = memo(function ThreadRow({
  row,
  isRoot,
  replies,
  highlighted,
}: {
  row: Row;
  isRoot: boolean;
  replies: number;
  highlighted: string | null;
}) {
  if (row.kind === "pending") return <PendingMessage post={row.post} />;
  const { post, startsDay, isGrouped } = row;
  return (
    <>
      {startsDay && <DayLine time={post.create_at} />}
      <Message
        post={post}
        isGrouped={isGrouped && !isRoot}
        isLinked={post.id === highlighted && !isRoot}
        isInThread
      />
      {isRoot && (
        <p className="flex items-center gap-3 px-4 pt-3 pb-1 text-xs text-ink-soft">
          {strings.message.replies(replies)}
          <span aria-hidden className="h-px grow bg-line" />
        </p>
      )}
    </>
  );
});
