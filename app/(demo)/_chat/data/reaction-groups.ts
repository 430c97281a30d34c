import { emojiOf } from "../emoji/emojify.ts";
import type { Post } from "./model.ts";

type ReactionGroup = { emoji: string; userIds: string[] };

/** Returns whether two short names mean the same emoji, as `+1` and `thumbsup` do. */
const isSameEmoji = (a: string, b: string): boolean =>
  a === b || (emojiOf(a) !== undefined && plain(emojiOf(a)) === plain(emojiOf(b)));

const plain = (character = "") => character.replaceAll("\ufe0f", "");

/**
 * Groups reactions by emoji, under the name and in the order of their first appearance. Each person counts
 * once.
 */
export function groupReactions(post: Post): ReactionGroup[] {
  const groups: ReactionGroup[] = [];
  for (const { emojiName, userId } of post.metadata?.reactions ?? []) {
    const group = groups.find(({ emoji }) => isSameEmoji(emoji, emojiName));
    if (!group) groups.push({ emoji: emojiName, userIds: [userId] });
    else if (!group.userIds.includes(userId)) group.userIds.push(userId);
  }
  return groups;
}

/** Returns the names under which a person reacted with an emoji. */
export const ownNamesOf = (post: Post, userId: string, emoji: string): string[] =>
  (post.metadata?.reactions ?? [])
    .filter((reaction) => reaction.userId === userId && isSameEmoji(reaction.emojiName, emoji))
    .map(({ emojiName }) => emojiName);
