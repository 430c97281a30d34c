import { emojiOf } from "../emoji/emojify.ts";
import type { Post } from "./model.ts";

type ReactionGroup = { emoji: string; userIds: string[] };

/** Returns whether two short names mean the same emoji, as `+1` and `thumbsup` do. */
const isSameEmoji = (a: string, b: string): boolean =>
  a === b || (emojiOf(a) !== undefined && plain(emojiOf(a)) === plain(emojiOf(b)));

const plain = (character = "") => character.replaceAll("\ufe0f", "");

/** Groups reactions by emoji, under the name and in the order of their first appearance; each person counts once. */
export function groupReactions(post: Post): ReactionGroup[] {
  const groups: ReactionGroup[] = [];
  for (const { emoji_name, user_id } of post.metadata?.reactions ?? []) {
    const group = groups.find(({ emoji }) => isSameEmoji(emoji, emoji_name));
    if (!group) groups.push({ emoji: emoji_name, userIds: [user_id] });
    else if (!group.userIds.includes(user_id)) group.userIds.push(user_id);
  }
  return groups;
}

/** Returns the names under which a person reacted with an emoji. */
export const ownNamesOf = (post: Post, userId: string, emoji: string): string[] =>
  (post.metadata?.reactions ?? [])
    .filter(({ user_id, emoji_name }) => user_id === userId && isSameEmoji(emoji_name, emoji))
    .map(({ emoji_name }) => emoji_name);
