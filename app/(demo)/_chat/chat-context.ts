"use client";

import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import type { ConnectionState, User } from "./data/model.ts";
import type { Outbox } from "./data/outbox.ts";
import type { Presence } from "./data/presence.ts";
import type { Removals } from "./data/removals.ts";
import type { TypingList } from "./data/typing.ts";

/** What every part of an open chat shares: who I am and how the connection is. */
export type Chat = {
  me: User;
  connection: ConnectionState;
  outbox: Outbox;
  removals: Removals;
  typing: TypingList;
  presence: Presence;
  /** Tells which channel is being read to its end, or null. */
  setReading: (channelId: string | null) => void;
  /** False when too many messages wait already. */
  send: (post: { channelId: string; rootId: string; message: string }) => boolean;
  resend: (pendingId: string) => void;
};

export const ChatContext = createContext<Chat | null>(null);

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error("useChat outside an open chat");
  return chat;
}

/** The posts of a channel or thread that the server has not confirmed yet. */
export function useOutgoing(channelId: string, rootId: string) {
  const { outbox } = useChat();
  const all = useSyncExternalStore(outbox.subscribe, outbox.snapshot, outbox.snapshot);
  return useMemo(
    () => all.filter((post) => post.channelId === channelId && post.rootId === rootId),
    [all, channelId, rootId],
  );
}

/** Whether a message's deletion was confirmed here and can still be taken back or is under way. */
export function useIsRemoving(postId: string): boolean {
  const { removals } = useChat();
  return useSyncExternalStore(
    removals.subscribe,
    () => removals.snapshot().has(postId),
    () => false,
  );
}
