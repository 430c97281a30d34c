"use client";

import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import type { ConnectionState, OutgoingPost, User } from "./data/model.ts";
import type { Outbox } from "./data/outbox.ts";
import type { Presence, TypingList } from "./data/presence.ts";
import type { Removals } from "./data/removals.ts";

/** What every part of an open chat shares: who I am and how the connection is. */
export type Chat = {
  me: User;
  /** Messages are translated here. */
  translates: boolean;
  /** An image host takes the pictures of public channels. */
  hostsPictures: boolean;
  /** Pictures and pages of other servers are shown here. */
  showsOutside: boolean;
  connection: ConnectionState;
  outbox: Outbox;
  removals: Removals;
  typing: TypingList;
  presence: Presence;
  /** False when too many messages wait already. */
  send: (post: Pick<OutgoingPost, "channelId" | "rootId" | "message" | "files" | "type">) => boolean;
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

/** The longest text that is looked for. */
export const FINDER_LENGTH = 64;

/** What the finder finds when it comes: what was typed meanwhile, and what had the focus. */
export type Early = {
  text: string;
  before: { current: HTMLElement | null };
  takesFocus: boolean;
};

/** `browse` opens the finder for looking around, before anything is typed. */
export type Panel =
  | "finder"
  | "browse"
  | "search"
  | "threads"
  | "mentions"
  | "pinned"
  | "members"
  | "help"
  | "wire"
  | null;

/** The lists from which a thread is opened, and that its end leads back to. */
export type ThreadList = "threads" | "mentions";

export const PanelContext = createContext<{
  panel: Panel;
  open: (panel: Panel) => void;
  /** Makes room for a thread that a list opens, and remembers where it came from. */
  leaveFor: (rootId: string, list: ThreadList) => void;
  /** Opens the list again that the thread was opened from, if it was. */
  returnFrom: (rootId: string) => void;
}>({
  panel: null,
  open: () => undefined,
  leaveFor: () => undefined,
  returnFrom: () => undefined,
});

/** Which of the shell's panels is open, and the way to open another. */
export function usePanel() {
  return useContext(PanelContext);
}

/**
 * How the reader stands to an open channel: `removed` was a member when it was opened, `deactivated` is the partner of a
 * conversation. Only members write.
 */
export type Standing = "member" | "guest" | "removed" | "archived" | "deactivated";

/** What the messages of an open channel share. */
export type Conversation = {
  channelId: string;
  canModerate: boolean;
  standing: Standing;
  isMember: boolean;
  /** The message that is being edited, by its id or pending id, or null. */
  editingId: string | null;
  setEditingId: (postId: string | null) => void;
  openThread: (rootId: string) => void;
};

export const ConversationContext = createContext<Conversation | null>(null);

export function useConversation(): Conversation {
  const conversation = useContext(ConversationContext);
  if (!conversation) throw new Error("useConversation outside an open channel");
  return conversation;
}
