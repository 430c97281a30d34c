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

/** A root that stays in view, and under it its replies, oldest first; opens at the newest, or at the linked one. */
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
  const [root, ...replies] = posts;
  const rows = useMemo(
    () => rowsOf(posts.slice(1), pending, { myId: me.id, lastViewedAt: null, isStart: true }),
    [posts, pending, me.id],
  );
  const [start] = useState((): Place => {
    const linked = posts.find(({ id, root_id }) => id === highlighted && root_id !== "");
    return linked ? { key: keyOf(linked), align: "center" } : "end";
  });
  return (
    <>
      {root && (
        <div className="max-h-[45%] shrink-0 overflow-y-auto border-b border-line bg-surface pt-4 pb-2">
          <Message post={root} isGrouped={false} isLinked={false} isInThread isFolded />
          <p className="column pt-1 text-xs text-ink-soft">
            <span className="block pl-12">
              {replies.length === 0 ? strings.thread.noReplies : strings.message.replies(replies.length)}
            </span>
          </p>
        </div>
      )}
      <MessageList ref={list} label={strings.thread.title} rows={rows} start={start} isComplete>
        {(row) => <ThreadRow row={row} highlighted={highlighted} />}
      </MessageList>
      <Announcer last={posts.at(-1)} />
    </>
  );
}

/** A reply. */
const ThreadRow = memo(function ThreadRow({ row, highlighted }: { row: Row; highlighted: string | null }) {
  if (row.kind === "pending") return <PendingMessage post={row.post} />;
  const { post, startsDay, isGrouped } = row;
  return (
    <>
      {startsDay && <DayLine time={post.create_at} />}
      <Message post={post} isGrouped={isGrouped} isLinked={post.id === highlighted} isInThread />
    </>
  );
});
