"use client";

import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import type { ConnectionState, OutgoingPost, User } from "./data/model.ts";
import type { Outbox } from "./data/outbox.ts";
import type { Presence, TypingList } from "./data/presence.ts";
import type { Removals } from "./data/removals.ts";

/** The state that all parts of an open chat share: the user and the connection. */
export type Chat = {
  me: User;
  /** True if messages can be translated. */
  translates: boolean;
  /** True if an image host stores the pictures of public channels. */
  hostsPictures: boolean;
  /** True if pictures and pages from other servers are shown. */
  showsOutside: boolean;
  connection: ConnectionState;
  outbox: Outbox;
  removals: Removals;
  typing: TypingList;
  presence: Presence;
  /** Returns false if too many messages are already waiting. */
  send: (post: Pick<OutgoingPost, "channelId" | "rootId" | "message" | "files" | "type">) => boolean;
  resend: (pendingId: string) => void;
};

export const ChatContext = createContext<Chat | null>(null);

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error("useChat outside an open chat");
  return chat;
}

/** Returns the posts of a channel or thread that the server has not confirmed yet. */
export function useOutgoing(channelId: string, rootId: string) {
  const { outbox } = useChat();
  const all = useSyncExternalStore(outbox.subscribe, outbox.snapshot, outbox.snapshot);
  return useMemo(
    () => all.filter((post) => post.channelId === channelId && post.rootId === rootId),
    [all, channelId, rootId],
  );
}

/**
 * Returns whether the user confirmed the deletion of a message here, and the deletion can still be undone or
 * is in progress.
 */
export function useIsRemoving(postId: string): boolean {
  const { removals } = useChat();
  return useSyncExternalStore(
    removals.subscribe,
    () => removals.snapshot().has(postId),
    () => false,
  );
}

/** Maximum length of what is typed in the finder. */
export const FINDER_LENGTH = 64;

/** Maximum length of a search. */
export const SEARCH_LENGTH = 512;

/** Input for the finder or search while it loads: the text typed meanwhile, and the element that had the focus. */
export type Early = {
  text: string;
  before: { current: HTMLElement | null };
  takesFocus: boolean;
};

/** `browse` opens the finder for browsing, before anything is typed. */
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

/** The lists from which a thread can be opened, and which open again when the thread is closed. */
export type ThreadList = "threads" | "mentions";

export const PanelContext = createContext<{
  panel: Panel;
  open: (panel: Panel) => void;
  /** Makes room for a thread opened from a list, and remembers the list. */
  leaveFor: (rootId: string, list: ThreadList) => void;
  /** Reopens the list from which the thread was opened, if any. */
  returnFrom: (rootId: string) => void;
}>({
  panel: null,
  open: () => undefined,
  leaveFor: () => undefined,
  returnFrom: () => undefined,
});

/** Returns which panel of the shell is open, and the function that opens another. */
export function usePanel() {
  return useContext(PanelContext);
}

/**
 * The reader's relation to an open channel: `removed` was a member when it was opened, and `deactivated`
 * refers to the partner of a conversation. Only members can write.
 */
export type Standing = "member" | "guest" | "removed" | "archived" | "deactivated";

/** The state that the messages of an open channel share. */
export type Conversation = {
  channelId: string;
  canModerate: boolean;
  standing: Standing;
  isMember: boolean;
  /** The id or pending id of the message that is being edited, or null. */
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
