import type { Channel, ChannelMember } from "../../mattermost/channel.ts";

/** What is new for a member. */
export type Unread = {
  mention_count: number;
  message_count: number;
  /** Whether ordinary messages count: not in muted channels, nor in public ones that were never opened. */
  unread_eligible: boolean;
};

export const isMuted = (member: ChannelMember | undefined) => member?.notify_props?.mark_unread === "mention";

const isConversation = (channel: Channel) => channel.type === "D" || channel.type === "G";

const nothing: Unread = { mention_count: 0, message_count: 0, unread_eligible: false };

/**
 * Counts by the backend's own rules: roots alone where it keeps threads apart (`collapsesThreads`), and mentions in
 * muted channels too, except that every message of a conversation is one. A first direct message counts. A channel that
 * was never opened does not: its history is no news, and the backend takes the adding of a member for a mention.
 */
export function countUnread(
  channel: Channel,
  member: ChannelMember | undefined,
  collapsesThreads: boolean,
): Unread {
  if (!member || (isMuted(member) && isConversation(channel))) return nothing;
  if (!isConversation(channel) && member.last_viewed_at <= 0) return nothing;
  const unread = collapsesThreads
    ? channel.total_msg_count_root - member.msg_count_root
    : channel.total_msg_count - member.msg_count;
  return {
    mention_count: collapsesThreads ? member.mention_count_root : member.mention_count,
    message_count: isMuted(member) ? 0 : Math.max(0, unread),
    unread_eligible: !isMuted(member),
  };
}
