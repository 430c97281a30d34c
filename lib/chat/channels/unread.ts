import type { Unreads } from "../../contract/answers.ts";
import { NotifyLevel } from "../../contract/examples.ts";
import { type Channel, type ChannelMember, listOwnChannels } from "../../mattermost/channels.ts";
import { listUnreadThreads } from "../../mattermost/threads.ts";
import { readUsers } from "../../mattermost/users.ts";
import type { CallerContext } from "../caller/caller-context.ts";
import { collapsesThreads } from "./channel-settings.ts";
import { partnerIdOf } from "./direct-partner.ts";
import { listMemberships } from "./list-memberships.ts";

type ChannelUnread = Unreads["channels"][number];

/**
 * Counts unread messages in all channels of the caller; direct channels count only in `totalDMs`. `truncated` is true
 * if there are more unread threads than were read.
 */
export async function countAllUnread(context: CallerContext): Promise<Unreads> {
  const { caller, chat, patHash } = context;
  const isCollapsed = await collapsesThreads(context);
  const ownChannels = listOwnChannels(caller, chat.teamId);
  const [channels, members, threads] = await Promise.all([
    ownChannels,
    listMemberships(context, ownChannels),
    isCollapsed ? countThreadUnread(context) : { byChannel: new Map<string, number>(), isTruncated: false },
  ]);
  const ownId = members[0]?.user_id ?? "";
  if (ownId) chat.caches.userIds.set(patHash, ownId);
  const membership = new Map(members.map((member) => [member.channel_id, member]));

  const rows = channels.map((channel): { channel: Channel; unread: ChannelUnread } => {
    const member = membership.get(channel.id);
    const threadUnread = isMuted(member) ? 0 : (threads.byChannel.get(channel.id) ?? 0);
    const unread = countUnread(channel, member, isCollapsed);
    return {
      channel,
      unread: { channelId: channel.id, type: channel.type, ...unread, thread_unread: threadUnread },
    };
  });
  const closed = await findClosedChannels(context, rows, ownId);
  const counted = rows.flatMap(({ unread }) => (closed.has(unread.channelId) ? [] : [unread]));
  return { channels: counted, ...sumUp(counted), truncated: threads.isTruncated };
}

/**
 * Returns the direct channels with a deactivated partner, which do not count because the list leaves them
 * out.
 */
async function findClosedChannels(
  { caller }: CallerContext,
  rows: ReadonlyArray<{ channel: Channel; unread: ChannelUnread }>,
  ownId: string,
): Promise<Set<string>> {
  const partners = rows.flatMap(({ channel, unread }) => {
    const partnerId = partnerIdOf(channel, ownId);
    const counts = unread.message_count + unread.mention_count + unread.thread_unread > 0;
    return partnerId !== null && counts ? [{ channelId: channel.id, partnerId }] : [];
  });
  const users = await readUsers(caller, [...new Set(partners.map(({ partnerId }) => partnerId))]);
  const deactivated = new Set(users.flatMap(({ id, delete_at }) => (delete_at > 0 ? [id] : [])));
  return new Set(
    partners.flatMap(({ channelId, partnerId }) => (deactivated.has(partnerId) ? [channelId] : [])),
  );
}

function sumUp(rows: readonly ChannelUnread[]) {
  const direct = rows.filter(({ type }) => type === "D");
  const others = rows.filter(({ type }) => type !== "D");
  const sum = (of: readonly ChannelUnread[], count: (row: ChannelUnread) => number) =>
    of.reduce((total, row) => total + count(row), 0);
  const totalDMs = sum(direct, (row) => row.message_count + row.thread_unread);
  return {
    totalMentions: sum(others, (row) => row.mention_count),
    totalDMs,
    totalThreads: sum(others, (row) => row.thread_unread),
    totalUnread:
      totalDMs + sum(others, (row) => Math.max(row.mention_count, row.message_count) + row.thread_unread),
  };
}

/** A member's unread counts. */
type Unread = {
  mention_count: number;
  message_count: number;
  /** True if ordinary messages count; false in muted channels, and in those that the member joined but never opened. */
  unread_eligible: boolean;
};

export const isMuted = (member: ChannelMember | undefined) => member?.notify_props?.mark_unread === "mention";

/** Returns a member's notification level. Mattermost stores any value it receives; unknown ones mean the default. */
export const notifyLevelOf = (member: ChannelMember | undefined): NotifyLevel =>
  NotifyLevel.options.find((level) => level === member?.notify_props?.desktop) ?? "default";

const isConversation = (channel: Channel) => channel.type === "D" || channel.type === "G";

const nothing: Unread = { mention_count: 0, message_count: 0, unread_eligible: false };

/**
 * Counts by Mattermost's rules: only root posts if threads are separate (`isCollapsed`), and mentions even in
 * muted channels. In a conversation every message is a mention, including the first. A channel that was never
 * opened counts only mentions, because its history is not new.
 */
export function countUnread(
  channel: Channel,
  member: ChannelMember | undefined,
  isCollapsed: boolean,
): Unread {
  if (!member || (isMuted(member) && isConversation(channel))) return nothing;
  const isEligible = !isMuted(member) && (isConversation(channel) || member.last_viewed_at > 0);
  const unread = isCollapsed
    ? channel.total_msg_count_root - member.msg_count_root
    : channel.total_msg_count - member.msg_count;
  return {
    mention_count: isCollapsed ? member.mention_count_root : member.mention_count,
    message_count: isEligible ? Math.max(0, unread) : 0,
    unread_eligible: isEligible,
  };
}

/**
 * Only one page of threads is read. If there are more, the answer is marked as truncated, which is enough for
 * a badge.
 */
export const MOST_THREADS = 200;

/** Counts unread replies in followed threads by channel, from the 200 latest unread threads. */
async function countThreadUnread({
  caller,
  chat,
}: CallerContext): Promise<{ byChannel: Map<string, number>; isTruncated: boolean }> {
  const threads = await listUnreadThreads(caller, chat.teamId, MOST_THREADS);
  const byChannel = new Map<string, number>();
  for (const { post, unread_replies } of threads)
    byChannel.set(post.channel_id, (byChannel.get(post.channel_id) ?? 0) + unread_replies);
  return { byChannel, isTruncated: threads.length >= MOST_THREADS };
}
