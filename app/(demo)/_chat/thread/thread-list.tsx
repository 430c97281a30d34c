"use client";

import { memo, type RefObject, useMemo, useState } from "react";
import { useChat, useOutgoing } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import type { ListHandle, Place } from "../list/list-handle.ts";
import { MessageList } from "../list/message-list.tsx";
import { Message } from "../message/message.tsx";
import { PendingMessage } from "../message/pending-message.tsx";
import { strings } from "../strings.en.ts";
import { Announcer } from "../timeline/announcer.tsx";
import { keyOf, type Row, rowsOf } from "../timeline/rows.ts";
import { DayLine } from "../timeline/timeline-lines.tsx";

/** A root and its replies, oldest first; opens at the newest, or at the linked one. */
export function ThreadList({
  list,
  channelId,
  rootId,
  posts,
  highlighted,
}: {
  list: RefObject<ListHandle | null>;
  channelId: string;
  rootId: string;
  posts: readonly Post[];
  highlighted: string | null;
}) {
  const { me } = useChat();
  const pending = useOutgoing(channelId, rootId);
  const rows = useMemo(
    () => rowsOf(posts, pending, { myId: me.id, lastViewedAt: null, isStart: true }),
    [posts, pending, me.id],
  );
  const [start] = useState((): Place => {
    const linked = posts.find(({ id, root_id }) => id === highlighted && root_id !== "");
    return linked ? { key: keyOf(linked), align: "center" } : "end";
  });
  return (
    <>
      <MessageList ref={list} label={strings.thread.title} rows={rows} start={start} isComplete>
        {(row, index) => (
          <ThreadRow row={row} isRoot={index === 0} replies={posts.length - 1} highlighted={highlighted} />
        )}
      </MessageList>
      <Announcer last={posts.at(-1)} />
    </>
  );
}

/** A reply, or the root with the number of replies under it. */
const ThreadRow = memo(function ThreadRow({
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
        <p className="column flex items-center gap-3 pt-3 pb-1 text-xs text-ink-soft">
          {strings.message.replies(replies)}
          <span aria-hidden className="h-px grow bg-line" />
        </p>
      )}
    </>
  );
});
