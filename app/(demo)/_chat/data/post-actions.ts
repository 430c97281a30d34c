"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { emojiOf } from "../emoji/emojify.ts";
import { changePost, notePinned } from "./cache.ts";
import { chatClient } from "./chat-client.ts";
import type { Post, Reaction } from "./model.ts";

const isSame = (a: Reaction, b: Reaction) => a.user_id === b.user_id && a.emoji_name === b.emoji_name;

/** The post with the reaction on it, once. */
export function withReaction(post: Post, reaction: Reaction): Post {
  const others = (post.metadata?.reactions ?? []).filter((present) => !isSame(present, reaction));
  return { ...post, metadata: { ...post.metadata, reactions: [...others, reaction] } };
}

/** The post without the reaction. */
export function withoutReaction(post: Post, reaction: Reaction): Post {
  const others = (post.metadata?.reactions ?? []).filter((present) => !isSame(present, reaction));
  return { ...post, metadata: { ...post.metadata, reactions: others } };
}

type ReactionGroup = { emoji: string; userIds: string[] };

/** Whether two short names are one emoji, as `+1` and `thumbsup` are. */
const isSameEmoji = (a: string, b: string): boolean =>
  a === b || (emojiOf(a) !== undefined && plain(emojiOf(a)) === plain(emojiOf(b)));

const plain = (character = "") => character.replaceAll("\ufe0f", "");

/** Reactions by emoji, under the name and in the order in which each emoji came first; each person once. */
export function groupReactions(post: Post): ReactionGroup[] {
  const groups: ReactionGroup[] = [];
  for (const { emoji_name, user_id } of post.metadata?.reactions ?? []) {
    const group = groups.find(({ emoji }) => isSameEmoji(emoji, emoji_name));
    if (!group) groups.push({ emoji: emoji_name, userIds: [user_id] });
    else if (!group.userIds.includes(user_id)) group.userIds.push(user_id);
  }
  return groups;
}

/** The names under which a person reacted with an emoji. */
export const ownNamesOf = (post: Post, userId: string, emoji: string): string[] =>
  (post.metadata?.reactions ?? [])
    .filter(({ user_id, emoji_name }) => user_id === userId && isSameEmoji(emoji_name, emoji))
    .map(({ emoji_name }) => emoji_name);

/** Editing, reacting and pinning: shown at once, taken back when refused. */
export function usePostActions(myId: string) {
  const cache = useQueryClient();
  const showReaction = (post: Post, emoji: string, isOn: boolean) => {
    const reaction = { user_id: myId, post_id: post.id, emoji_name: emoji };
    const change = isOn ? withReaction : withoutReaction;
    changePost(cache, post.id, (present) => change(present, reaction));
  };

  const edit = useMutation({
    mutationFn: ({ post, message }: { post: Post; message: string }) =>
      chatClient.posts.edit(post.channel_id, post.id, message),
    onMutate: ({ post, message }) =>
      changePost(cache, post.id, (present) => ({ ...present, message, edit_at: Date.now() })),
    onError: (_error, { post: { id, message, edit_at } }) =>
      changePost(cache, id, (present) => ({ ...present, message, edit_at })),
  });

  const react = useMutation({
    mutationFn: ({ post, emoji, add }: { post: Post; emoji: string; add: boolean }) =>
      chatClient.posts.react(post.channel_id, post.id, emoji, add),
    onMutate: ({ post, emoji, add }) => showReaction(post, emoji, add),
    onError: (_error, { post, emoji, add }) => showReaction(post, emoji, !add),
  });

  const showPinned = (post: Post, isPinned: boolean) => {
    changePost(cache, post.id, (present) => ({ ...present, is_pinned: isPinned }));
    notePinned(cache, { ...post, is_pinned: isPinned }, isPinned);
  };
  const pin = useMutation({
    mutationFn: ({ post, isPinned }: { post: Post; isPinned: boolean }) =>
      chatClient.posts.pin(post.channel_id, post.id, isPinned),
    onMutate: ({ post, isPinned }) => showPinned(post, isPinned),
    onError: (_error, { post, isPinned }) => showPinned(post, !isPinned),
  });

  return { edit, react, pin };
}
