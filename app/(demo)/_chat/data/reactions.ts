import type { Post, Reaction } from "./model.ts";

const isSame = (a: Reaction, b: Reaction) => a.userId === b.userId && a.emojiName === b.emojiName;

/** Returns the post with the reaction, which replaces an equal one. */
export function withReaction(post: Post, reaction: Reaction): Post {
  const others = (post.metadata?.reactions ?? []).filter((present) => !isSame(present, reaction));
  return { ...post, metadata: { ...post.metadata, reactions: [...others, reaction] } };
}

/** Returns the post without the reaction. */
export function withoutReaction(post: Post, reaction: Reaction): Post {
  const others = (post.metadata?.reactions ?? []).filter((present) => !isSame(present, reaction));
  return { ...post, metadata: { ...post.metadata, reactions: others } };
}
