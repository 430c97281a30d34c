"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { changePost, notePinned } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Post } from "./model.ts";
import { withoutReaction, withReaction } from "./reactions.ts";

/** Editing, reacting and pinning: shown immediately, undone if refused. */
export function usePostActions(myId: string) {
  const cache = useQueryClient();
  const showReaction = (post: Post, emoji: string, isOn: boolean) => {
    const reaction = { userId: myId, postId: post.id, emojiName: emoji };
    const change = isOn ? withReaction : withoutReaction;
    changePost(cache, post.id, (present) => change(present, reaction));
  };

  const edit = useMutation({
    mutationFn: ({ post, message }: { post: Post; message: string }) =>
      chatClient.posts.edit(post.channelId, post.id, message),
    onMutate: ({ post, message }) =>
      changePost(cache, post.id, (present) => ({ ...present, message, editAt: Date.now() })),
    onError: (_error, { post: { id, message, editAt } }) =>
      changePost(cache, id, (present) => ({ ...present, message, editAt })),
  });

  const react = useMutation({
    mutationFn: ({ post, emoji, add }: { post: Post; emoji: string; add: boolean }) =>
      chatClient.posts.react(post.channelId, post.id, emoji, { add }),
    onMutate: ({ post, emoji, add }) => showReaction(post, emoji, add),
    onError: (_error, { post, emoji, add }) => showReaction(post, emoji, !add),
  });

  const showPinned = (post: Post, isPinned: boolean) => {
    changePost(cache, post.id, (present) => ({ ...present, isPinned }));
    notePinned(cache, { ...post, isPinned }, isPinned);
  };
  const pin = useMutation({
    mutationFn: ({ post, isPinned }: { post: Post; isPinned: boolean }) =>
      chatClient.posts.pin(post.channelId, post.id, { pin: isPinned }),
    onMutate: ({ post, isPinned }) => showPinned(post, isPinned),
    onError: (_error, { post, isPinned }) => showPinned(post, !isPinned),
  });

  return { edit, react, pin };
}
