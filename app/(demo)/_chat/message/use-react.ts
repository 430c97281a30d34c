"use client";

import { toast } from "sonner";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { usePostActions } from "../data/use-post-actions.ts";
import { emojiOf } from "../emoji/emojify.ts";
import { rememberEmoji } from "../emoji/recent-emoji.ts";
import { strings } from "../strings.en.ts";

/** Adds the user's reaction to a message, or takes it back. */
export function useReact(post: Post) {
  const { me } = useChat();
  const { react } = usePostActions(me.id);
  return (emoji: string) => {
    const isThere = (post.metadata?.reactions ?? []).some(
      ({ user_id, emoji_name }) => user_id === me.id && emoji_name === emoji,
    );
    const character = emojiOf(emoji);
    if (!isThere && character) rememberEmoji(me.username, character);
    react
      .mutateAsync({ post, emoji, add: !isThere })
      .catch((error: Error) => toast.error(error.message || strings.toast.failed));
  };
}
