import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { findChannelMember, updateChannelMember } from "../model/channel-members.ts";
import type { ChannelRow } from "../model/channels.ts";
import { listMessagesFrom, type PostRow } from "../model/posts.ts";
import { findThreadMember } from "../model/threads.ts";
import { findMentions } from "./find-mentions.ts";
import { markThreadRead } from "./mark-thread-read.ts";

/** Makes a channel unread to a member from a post on. @throws ApiError 404 when he is no member. */
export function markUnread(
  backend: Backend,
  channel: ChannelRow,
  userId: string,
  post: PostRow,
  isThreadAware: boolean,
): Record<string, unknown> {
  if (!findChannelMember(backend.db, channel.id, userId)) refuse("app.channel.get_member.missing.app_error");
  const unread = listMessagesFrom(backend.db, channel.id, post.create_at);
  const roots = unread.filter((one) => one.root_id === "");
  const isMeant = (one: PostRow) => findMentions(backend, channel, one.user_id, one.message).has(userId);
  const mentions = unread.filter((one) => one.user_id !== userId && isMeant(one));
  const counts = {
    msg_count: Math.max(0, channel.total_msg_count - unread.length),
    mention_count: mentions.length,
    mention_count_root: mentions.filter((one) => one.root_id === "").length,
    msg_count_root: Math.max(0, channel.total_msg_count_root - roots.length),
    last_viewed_at: post.create_at - 1,
  };
  updateChannelMember(backend.db, channel.id, userId, { ...counts, last_update_at: backend.clock.now() });
  const isReply = post.root_id !== "";
  if (isReply && !isThreadAware && findThreadMember(backend.db, post.root_id, userId)) {
    const inThread = mentions.filter((one) => one.root_id === post.root_id).length;
    markThreadRead(backend, userId, post.root_id, post.create_at - 1, inThread);
  }
  const urgent = backend.isV11 ? { urgent_mention_count: 0 } : {};
  backend.publish({
    event: "post_unread",
    data: { ...counts, ...urgent, post_id: post.id },
    broadcast: { user_id: userId, channel_id: channel.id, team_id: channel.team_id },
  });
  return { team_id: channel.team_id, user_id: userId, channel_id: channel.id, ...counts, ...urgent };
}
