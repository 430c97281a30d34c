"use client";

import { toast } from "sonner";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { messages } from "../messages.en.ts";
import { useConversation } from "./conversation-context.ts";

/** What the user may do with a message. */
export function useMessageActs(post: Post) {
  const { me } = useChat();
  const { channelId, canModerate, isMember, setEditingId, openThread } = useConversation();
  const isOwn = post.user_id === me.id;
  const address = () => new URL(`/chat/${channelId}?post=${post.id}`, window.location.origin).href;
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      toast(messages.channel.linkCopied);
    } catch {
      toast.error(messages.toast.failed);
    }
  };
  return {
    isOwn,
    isMember,
    mayEdit: isOwn && isMember,
    mayRemove: isOwn ? isMember : canModerate,
    address,
    reply: () => openThread(post.root_id || post.id),
    edit: () => setEditingId(post.id),
    copyLink: () => void copy(address()),
  };
}
