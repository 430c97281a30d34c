"use client";

import { createContext, useContext } from "react";

/** What the messages of an open channel share. */
export type Conversation = {
  channelId: string;
  canModerate: boolean;
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
