import { z } from "zod";
import { type Context, param, readBody, readIds } from "../context.ts";
import { refuse } from "../errors.ts";
import { isId } from "../id.ts";
import { findChannelMember } from "../model/channel-members.ts";
import { findChannel } from "../model/channels.ts";
import { markUnread, viewChannels } from "../operations/unread.ts";
import { demandSelf, needChannelWith } from "../permissions.ts";
import { needPostWithRight } from "../require.ts";
import { type Route, route } from "../router.ts";

const View = z.object({
  channel_id: z.string(),
  prev_channel_id: z.string().optional(),
  collapsed_threads_supported: z.boolean().optional(),
});
const MarkUnread = z.object({ collapsed_threads_supported: z.boolean().optional() });

function answer(times: Record<string, number>): unknown {
  return { status: "OK", last_viewed_at_times: times };
}

function postView(context: Context): unknown {
  const { backend } = context;
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  const body = readBody(context, View, "channel_view");
  const ids = [...new Set([body.channel_id, body.prev_channel_id ?? ""])].filter((id) => id !== "");
  if (!ids.every(isId)) refuse("api.context.invalid_body_param.app_error", "channel_view.channel_id");
  const isNowhere = ids.length > 0 && !ids.some((id) => findChannel(backend.db, id));
  if (isNowhere && !backend.isV11) refuse("app.channel.update_last_viewed_at.app_error");
  return answer(viewChannels(backend, userId, ids, !body.collapsed_threads_supported));
}

function postMarkRead(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  if (!context.backend.isV11) refuse("api.context.404.app_error");
  return answer(viewChannels(context.backend, userId, readIds(context, "channel_ids"), false));
}

function getUnread(context: Context): unknown {
  const { backend } = context;
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  const channel = needChannelWith(context, param(context, "channel_id"), "read_channel");
  const member = findChannelMember(backend.db, channel.id, userId);
  if (!member) refuse("app.channel.get_member.missing.app_error");
  return {
    team_id: channel.team_id,
    channel_id: channel.id,
    msg_count: Math.max(0, channel.total_msg_count - member.msg_count),
    mention_count: member.mention_count,
    mention_count_root: member.mention_count_root,
    ...(backend.isV11 && { urgent_mention_count: 0 }),
    msg_count_root: Math.max(0, channel.total_msg_count_root - member.msg_count_root),
  };
}

function postSetUnread(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  // An empty body counts as a client without collapsed threads.
  const body = context.rawBody.length > 0 ? readBody(context, MarkUnread, "collapsed_threads_supported") : {};
  const post = needPostWithRight(context, param(context, "post_id"), "read_channel");
  const channel = findChannel(context.backend.db, post.channel_id);
  if (!channel) refuse("app.channel.get.existing.app_error");
  return markUnread(context.backend, channel, userId, post, body.collapsed_threads_supported ?? false);
}

export const unreadRoutes: Route[] = [
  route("POST", "/channels/members/{user_id}/view", postView),
  route("POST", "/channels/members/{user_id}/mark_read", postMarkRead),
  route("GET", "/users/{user_id}/channels/{channel_id}/unread", getUnread),
  route("POST", "/users/{user_id}/posts/{post_id}/set_unread", postSetUnread),
];
