import type { Channel } from "./model.ts";

/**
 * What somebody else's message adds to the counts of a channel that is not being read: by the gateway's own rules, so
 * that a reload shows the same. A channel that was never opened has no news, and a muted one mentions alone.
 */
export function countNews(
  { type, is_muted, last_viewed_at }: Pick<Channel, "type" | "is_muted" | "last_viewed_at">,
  { isRoot, isMention }: { isRoot: boolean; isMention: boolean },
): Pick<Channel, "message_count" | "mention_count"> {
  const isConversation = type === "D" || type === "G";
  const isSilent = isConversation ? is_muted : last_viewed_at <= 0;
  if (isSilent) return { message_count: 0, mention_count: 0 };
  return { message_count: isRoot && !is_muted ? 1 : 0, mention_count: isMention ? 1 : 0 };
}
