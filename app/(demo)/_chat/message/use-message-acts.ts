"use client";

import { useChat } from "../chat-context.ts";
import { copyLink, copyText } from "../copy.ts";
import type { Post } from "../data/model.ts";
import { useConversation } from "./conversation-context.ts";

/** What the user may do with a message. */
export function useMessageActs(post: Post) {
  const { me } = useChat();
  const { channelId, canModerate, isMember, setEditingId, openThread } = useConversation();
  const isOwn = post.user_id === me.id;
  const path = `/chat/${channelId}?post=${post.id}`;
  return {
    isOwn,
    isMember,
    mayEdit: isOwn && isMember,
    mayRemove: isOwn ? isMember : canModerate,
    address: () => new URL(path, window.location.origin).href,
    reply: () => openThread(post.root_id || post.id),
    edit: () => setEditingId(post.id),
    copyLink: () => void copyLink(path),
    copyText: () => void copyText(post.message),
  };
}
