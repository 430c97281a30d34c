import type { Channel } from "../../mattermost/channel.ts";
import { listOwnChannels } from "../../mattermost/channels.ts";
import { readUsers } from "../../mattermost/users.ts";
import type { Session } from "../session/session.ts";
import { partnerIdOf } from "./conversations.ts";
import { countThreadUnread } from "./count-thread-unread.ts";
import { countUnread, isMuted, type Unread } from "./count-unread.ts";
import { listMemberships } from "./opened-channels.ts";

type ChannelUnread = Unread & { channelId: string; type: Channel["type"]; thread_unread: number };

/** The sum of what is new. Direct channels count in `totalDMs` alone; `truncated` when more threads are unread than were read. */
export type UnreadSummary = {
  channels: ChannelUnread[];
  totalMentions: number;
  totalDMs: number;
  totalThreads: number;
  totalUnread: number;
  truncated: boolean;
};

/** Counts what is new in all channels of the caller. */
export async function countAllUnread(session: Session): Promise<UnreadSummary> {
  const { caller, gateway, patHash } = session;
  const collapsesThreads = await gateway.collapsesThreads();
  const [channels, members, threads] = await Promise.all([
    listOwnChannels(caller, gateway.teamId),
    listMemberships(session),
    collapsesThreads
      ? countThreadUnread(session)
      : { byChannel: new Map<string, number>(), isTruncated: false },
  ]);
  const ownId = members[0]?.user_id ?? "";
  if (ownId) gateway.known.userIds.set(patHash, ownId);
  const membership = new Map(members.map((member) => [member.channel_id, member]));

  const rows = channels.map((channel): { channel: Channel; unread: ChannelUnread } => {
    const member = membership.get(channel.id);
    const threadUnread = isMuted(member) ? 0 : (threads.byChannel.get(channel.id) ?? 0);
    const unread = countUnread(channel, member, collapsesThreads);
    return {
      channel,
      unread: { channelId: channel.id, type: channel.type, ...unread, thread_unread: threadUnread },
    };
  });
  const closed = await findClosedChannels(session, rows, ownId);
  const counted = rows.flatMap(({ unread }) => (closed.has(unread.channelId) ? [] : [unread]));
  return { channels: counted, ...sumUp(counted), truncated: threads.isTruncated };
}

/** Direct channels whose partner was deactivated: the list leaves them out, so nothing may count in them. */
async function findClosedChannels(
  { caller }: Session,
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
