"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callChat } from "../../_session/call-chat.ts";
import { changePost } from "./cache.ts";
import type { Post } from "./model.ts";
import { withoutReaction, withReaction } from "./reactions.ts";

const pathOf = (post: Post) => `/channels/${post.channel_id}/posts/${post.id}`;

/** Editing and reacting: shown at once, taken back when refused. */
export function usePostActions(myId: string) {
  const cache = useQueryClient();
  const showReaction = (post: Post, emoji: string, isOn: boolean) => {
    const reaction = { user_id: myId, post_id: post.id, emoji_name: emoji };
    const change = isOn ? withReaction : withoutReaction;
    changePost(cache, post.id, (present) => change(present, reaction));
  };

  const edit = useMutation({
    mutationFn: ({ post, message }: { post: Post; message: string }) =>
      callChat(pathOf(post), { method: "PATCH", body: { message } }),
    onMutate: ({ post, message }) =>
      changePost(cache, post.id, (present) => ({ ...present, message, edit_at: Date.now() })),
    onError: (_error, { post: { id, message, edit_at } }) =>
      changePost(cache, id, (present) => ({ ...present, message, edit_at })),
  });

  const react = useMutation({
    mutationFn: ({ post, emoji, add }: { post: Post; emoji: string; add: boolean }) =>
      callChat(`${pathOf(post)}/reactions`, { method: "POST", body: { emoji, add } }),
    onMutate: ({ post, emoji, add }) => showReaction(post, emoji, add),
    onError: (_error, { post, emoji, add }) => showReaction(post, emoji, !add),
  });

  return { edit, react };
}
