import type { Backend } from "../backend.ts";
import { findChannelMember, updateChannelMember } from "../model/channel-members.ts";
import { type ChannelRow, findChannel } from "../model/channels.ts";
import { listFollowedThreads } from "../model/threads.ts";
import { markThreadRead } from "./mark-thread-read.ts";

type View = { channel: ChannelRow; isChanged: boolean };

function view(backend: Backend, userId: string, channelId: string): View | null {
  const channel = findChannel(backend.db, channelId);
  const member = findChannelMember(backend.db, channelId, userId);
  if (!channel) return null;
  // An old server answers and tells of any channel there is; it only has no membership to change.
  if (!member) return backend.isV11 ? null : { channel, isChanged: true };
  const isUnread = member.msg_count < channel.total_msg_count || member.mention_count > 0;
  // v11 leaves a channel alone in which nothing is unread.
  if (backend.isV11 && !isUnread) return { channel, isChanged: false };
  updateChannelMember(backend.db, channelId, userId, {
    msg_count: Math.max(member.msg_count, channel.total_msg_count),
    msg_count_root: Math.max(member.msg_count_root, channel.total_msg_count_root),
    mention_count: 0,
    mention_count_root: 0,
    last_viewed_at: Math.max(member.last_viewed_at, channel.last_post_at),
    last_update_at: backend.clock.now(),
  });
  return { channel, isChanged: true };
}

/**
 * Marks channels read and tells the user's own clients.
 *
 * @returns channel id -> time of its last post, for the channels that he is in; on an old server for all that there are.
 */
export function viewChannels(
  backend: Backend,
  userId: string,
  channelIds: readonly string[],
  areThreadsRead: boolean,
): Record<string, number> {
  const views = channelIds.map((id) => view(backend, userId, id)).filter((found) => found !== null);
  const changed = views.filter(({ isChanged }) => isChanged).map(({ channel }) => channel);
  for (const channel of areThreadsRead ? changed : []) {
    for (const thread of listFollowedThreads(backend.db, userId, "", channel.id)) {
      markThreadRead(backend, userId, thread.post_id, backend.clock.now());
    }
  }
  publishViewed(backend, userId, changed);
  return Object.fromEntries(views.map(({ channel }) => [channel.id, channel.last_post_at]));
}

function publishViewed(backend: Backend, userId: string, channels: readonly ChannelRow[]): void {
  const broadcast = { user_id: userId };
  if (!backend.isV11) {
    for (const { id } of channels) {
      backend.publish({ event: "channel_viewed", data: { channel_id: id }, broadcast });
    }
  } else if (channels.length > 0) {
    const channel_times = Object.fromEntries(channels.map((channel) => [channel.id, channel.last_post_at]));
    backend.publish({ event: "multiple_channels_viewed", data: { channel_times }, broadcast });
  }
}
