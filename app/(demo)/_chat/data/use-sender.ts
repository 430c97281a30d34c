"use client";

import { notifyManager, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { sharedTipCounts } from "../../_pay/tip-counts.ts";
import { addPost, queryKeys } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Channel } from "./model.ts";
import { isOutboxKey, type Outbox, outboxKey } from "./outbox.ts";
import { createSender } from "./sender.ts";
import type { Timeline } from "./timeline-pages.ts";

const PAGE = 200;

function newestKnown(cache: QueryClient, channelId: string): number | undefined {
  const channel = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === channelId);
  if (!channel) return undefined;
  const timelines = cache.getQueriesData<Timeline>({ queryKey: queryKeys.timelinesOf(channelId) });
  const shown = timelines.map(([, timeline]) => timeline?.pages.at(-1)?.posts.at(-1)?.createAt ?? 0);
  return Math.max(channel.lastPostAt, ...shown);
}

/** Sends posts through the gateway, in one tab at a time, and goes on when the connection returns. */
export function useSender({ id: myId, username }: { id: string; username: string }, outbox: Outbox) {
  const cache = useQueryClient();
  const isConnected = useRef(false);
  const sender = useMemo(
    () =>
      createSender(outbox, {
        myId,
        post: ({ pendingId, channelId, rootId, message, type, files }) =>
          chatClient.posts.create(channelId, {
            message,
            pendingPostId: pendingId,
            ...(rootId && { rootId }),
            ...(type && { type }),
            ...(files && { fileIds: files.map(({ id }) => id) }),
          }),
        read: (channelId, before) =>
          chatClient.posts.page(channelId, { perPage: PAGE, ...(before && { before }) }),
        newestKnown: (channelId) => newestKnown(cache, channelId),
        confirm: (post, pendingId) =>
          new Promise((resolve) => {
            sharedTipCounts.begin(post.id);
            // Neither lists nor the answer to a repeated post contain the pending id.
            addPost(cache, { ...post, pendingPostId: pendingId });
            notifyManager.schedule(() => {
              outbox.remove(pendingId);
              resolve();
            });
          }),
        isOnline: () => navigator.onLine,
        isConnected: () => isConnected.current,
        exclusively: async (act) => {
          // Only secure origins have locks. Elsewhere the server recognizes repeated pending ids.
          if (navigator.locks) await navigator.locks.request(outboxKey(username), act);
          else await act();
        },
      }),
    [cache, myId, username, outbox],
  );

  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      if (key !== null && isOutboxKey(key, username)) outbox.reload();
    };
    window.addEventListener("online", sender.wake);
    window.addEventListener("storage", onStorage);
    sender.wake();
    return () => {
      window.removeEventListener("online", sender.wake);
      window.removeEventListener("storage", onStorage);
      sender.stop();
    };
  }, [sender, outbox, username]);

  return useMemo(
    () => ({
      send: sender.send,
      resend: sender.resend,
      tellConnected(isNow: boolean) {
        isConnected.current = isNow;
        if (isNow) sender.wake();
      },
    }),
    [sender],
  );
}
