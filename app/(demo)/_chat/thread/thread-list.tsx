"use client";

import { type RefObject, useMemo, useState } from "react";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import type { ListHandle, Place } from "../list/list-handle.ts";
import { MessageList } from "../list/message-list.tsx";
import { strings } from "../strings.en.ts";
import { Announcer } from "../timeline/announcer.tsx";
import { keyOf, rowsOf } from "../timeline/rows.ts";
import { useOutgoing } from "../timeline/use-outgoing.ts";
import { ThreadRow } from "./thread-row.tsx";

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
