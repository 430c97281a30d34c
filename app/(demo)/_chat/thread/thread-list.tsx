"use client";

import { type RefObject, useMemo, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { messages } from "../messages.en.ts";
import { Announcer } from "../timeline/announcer.tsx";
import { rowsOf } from "../timeline/rows.ts";
import { useOutgoing } from "../timeline/use-outgoing.ts";
import { ThreadRow } from "./thread-row.tsx";

const RENDERED_AHEAD_PX = 1_200;

/** A root and its replies, oldest first; opens at the newest, or at the linked one. */
export function ThreadList({
  list,
  channelId,
  rootId,
  posts,
  highlighted,
}: {
  list: RefObject<VirtuosoHandle | null>;
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
  const [start] = useState(() => {
    const linked = posts.findIndex(({ id, root_id }) => id === highlighted && root_id !== "");
    return linked === -1
      ? { index: Math.max(0, rows.length - 1), align: "end" as const }
      : { index: linked, align: "center" as const };
  });
  return (
    <>
      <Virtuoso
        ref={list}
        role="log"
        aria-live="off"
        aria-label={messages.thread.title}
        className="min-h-0 grow overscroll-contain"
        data={rows}
        initialTopMostItemIndex={start}
        computeItemKey={(_index, row) => row.key}
        skipAnimationFrameInResizeObserver
        increaseViewportBy={RENDERED_AHEAD_PX}
        followOutput={(isAtBottom) => isAtBottom && "auto"}
        itemContent={(index, row) => (
          <ThreadRow row={row} isRoot={index === 0} replies={posts.length - 1} highlighted={highlighted} />
        )}
      />
      <Announcer last={posts.at(-1)} />
    </>
  );
}
