import type { Mattermost } from "../context.ts";
import { refuse } from "../errors.ts";
import { type ChannelRow, findChannel, findChannelMember, updateChannelMember } from "../model/channels.ts";
import { listMessagesFrom, type PostRow } from "../model/posts.ts";
import { findThreadMember, listFollowedThreads } from "../model/threads.ts";
import { findMentions } from "./find-mentions.ts";
import { markThreadRead } from "./threads.ts";

type View = { channel: ChannelRow; isChanged: boolean };

function view(mattermost: Mattermost, userId: string, channelId: string): View | null {
  const channel = findChannel(mattermost.db, channelId);
  const member = findChannelMember(mattermost.db, channelId, userId);
  if (!channel) return null;
  // An old server answers and publishes for any channel, but has no membership to change.
  if (!member) return mattermost.isV11 ? null : { channel, isChanged: true };
  const isUnread = member.msg_count < channel.total_msg_count || member.mention_count > 0;
  // v11 ignores a channel without unread messages.
  if (mattermost.isV11 && !isUnread) return { channel, isChanged: false };
  updateChannelMember(mattermost.db, channelId, userId, {
    msg_count: Math.max(member.msg_count, channel.total_msg_count),
    msg_count_root: Math.max(member.msg_count_root, channel.total_msg_count_root),
    mention_count: 0,
    mention_count_root: 0,
    last_viewed_at: Math.max(member.last_viewed_at, channel.last_post_at),
    last_update_at: mattermost.clock.now(),
  });
  return { channel, isChanged: true };
}

/**
 * Marks channels as read, and notifies the user's clients.
 * @returns channel id -> time of its last post, for the user's channels; on an old server for all channels.
 */
export function viewChannels(
  mattermost: Mattermost,
  userId: string,
  channelIds: readonly string[],
  areThreadsRead: boolean,
): Record<string, number> {
  const views = channelIds.map((id) => view(mattermost, userId, id)).filter((found) => found !== null);
  const changed = views.filter(({ isChanged }) => isChanged).map(({ channel }) => channel);
  for (const channel of areThreadsRead ? changed : []) {
    for (const thread of listFollowedThreads(mattermost.db, userId, "", channel.id)) {
      markThreadRead(mattermost, userId, thread.post_id, mattermost.clock.now());
    }
  }
  publishViewed(mattermost, userId, changed);
  return Object.fromEntries(views.map(({ channel }) => [channel.id, channel.last_post_at]));
}

function publishViewed(mattermost: Mattermost, userId: string, channels: readonly ChannelRow[]): void {
  const broadcast = { user_id: userId };
  if (!mattermost.isV11) {
    for (const { id } of channels) {
      mattermost.publish({ event: "channel_viewed", data: { channel_id: id }, broadcast });
    }
  } else if (channels.length > 0) {
    const channel_times = Object.fromEntries(channels.map((channel) => [channel.id, channel.last_post_at]));
    mattermost.publish({ event: "multiple_channels_viewed", data: { channel_times }, broadcast });
  }
}

/**
 * Marks a channel as unread for a member from a post on. @throws ApiError 404 if the user is not a member.
 */
export function markUnread(
  mattermost: Mattermost,
  channel: ChannelRow,
  userId: string,
  post: PostRow,
  isThreadAware: boolean,
): Record<string, unknown> {
  if (!findChannelMember(mattermost.db, channel.id, userId))
    refuse("app.channel.get_member.missing.app_error");
  const unread = listMessagesFrom(mattermost.db, channel.id, post.create_at);
  const roots = unread.filter((one) => one.root_id === "");
  const isMeant = (one: PostRow) => findMentions(mattermost, channel, one).has(userId);
  const mentions = unread.filter((one) => one.user_id !== userId && isMeant(one));
  const counts = {
    msg_count: Math.max(0, channel.total_msg_count - unread.length),
    mention_count: mentions.length,
    mention_count_root: mentions.filter((one) => one.root_id === "").length,
    msg_count_root: Math.max(0, channel.total_msg_count_root - roots.length),
    last_viewed_at: post.create_at - 1,
  };
  updateChannelMember(mattermost.db, channel.id, userId, {
    ...counts,
    last_update_at: mattermost.clock.now(),
  });
  // An archived channel has no counts.
  if (channel.delete_at > 0) refuse("app.channel.update_last_viewed_at_post.app_error");
  const isReply = post.root_id !== "";
  if (isReply && !isThreadAware && findThreadMember(mattermost.db, post.root_id, userId)) {
    const inThread = mentions.filter((one) => one.root_id === post.root_id).length;
    markThreadRead(mattermost, userId, post.root_id, post.create_at - 1, inThread);
  }
  const urgent = mattermost.isV11 ? { urgent_mention_count: 0 } : {};
  mattermost.publish({
    event: "post_unread",
    data: { ...counts, ...urgent, post_id: post.id },
    broadcast: { user_id: userId, channel_id: channel.id, team_id: channel.team_id },
  });
  return { team_id: channel.team_id, user_id: userId, channel_id: channel.id, ...counts, ...urgent };
}
