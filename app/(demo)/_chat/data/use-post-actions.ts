"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callChat } from "../../_session/call-chat.ts";
import { changePost } from "./cache.ts";
import type { Post } from "./model.ts";
import { withoutReaction, withReaction } from "./reactions.ts";

const pathOf = (post: Post) => `/channels/${post.channel_id}/posts/${post.id}`;

/** Editing, deleting and reacting: shown at once, taken back when refused. */
export function usePostActions(myId: string) {
  const cache = useQueryClient();
  const restore = (_error: unknown, { post }: { post: Post }) => changePost(cache, post.id, () => post);

  const edit = useMutation({
    mutationFn: ({ post, message }: { post: Post; message: string }) =>
      callChat(pathOf(post), { method: "PATCH", body: { message } }),
    onMutate: ({ post, message }) =>
      changePost(cache, post.id, (present) => ({ ...present, message, edit_at: Date.now() })),
    onError: restore,
  });

  const remove = useMutation({
    mutationFn: ({ post }: { post: Post }) => callChat(pathOf(post), { method: "DELETE" }),
    onSuccess: (_answer, { post }) =>
      changePost(cache, post.id, (present) => ({ ...present, delete_at: Date.now(), message: "" })),
  });

  const react = useMutation({
    mutationFn: ({ post, emoji, add }: { post: Post; emoji: string; add: boolean }) =>
      callChat(`${pathOf(post)}/reactions`, { method: "POST", body: { emoji, add } }),
    onMutate: ({ post, emoji, add }) => {
      const reaction = { user_id: myId, post_id: post.id, emoji_name: emoji };
      changePost(cache, post.id, (present) =>
        add ? withReaction(present, reaction) : withoutReaction(present, reaction),
      );
    },
    onError: restore,
  });

  return { edit, remove, react };
}
