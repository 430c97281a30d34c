import { z } from "zod";
import { type Context, callerId, param, readBody, readIds, readPage } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import { isId } from "../id.ts";
import {
  type ChannelMemberRow,
  type ChannelRow,
  findChannel,
  findChannelMember,
  listChannelMembers,
  listChannelMembersByIds,
  listChannelMembershipsOf,
  updateChannelMember,
} from "../model/channels.ts";
import { joinChannel, leaveChannel } from "../operations/channel-membership.ts";
import { publishMemberUpdated } from "../operations/publish.ts";
import { markUnread, viewChannels } from "../operations/unread.ts";
import {
  canInChannel,
  demandInTeam,
  demandSelf,
  requireChannel,
  requireChannelWith,
} from "../permissions.ts";
import { created, ok, requireCaller, requirePostWithRight, requireUser } from "../require.ts";
import { type Route, route } from "../router.ts";
import { channelMemberObject } from "../serializers/channel.ts";

const MAX_ADDED = 1000;
const NewMembers = z.object({
  user_id: z.string().optional(),
  user_ids: z.array(z.string()).max(MAX_ADDED).optional(),
  post_root_id: z.string().optional(),
});
const notifyKeys = [
  "desktop",
  "mark_unread",
  "email",
  "push",
  "ignore_channel_mentions",
  "desktop_threads",
  "push_threads",
  "channel_auto_follow_threads",
] as const;
const NotifyProps = z.record(z.string(), z.string());
const SchemeRoles = z.object({ scheme_admin: z.boolean(), scheme_user: z.boolean() });

function render(context: Context, rows: readonly ChannelMemberRow[]): Record<string, unknown>[] {
  return rows.map((row) => channelMemberObject(context.mattermost, row, callerId(context)));
}

function requireMember(context: Context, channelId: string): ChannelMemberRow {
  const member = findChannelMember(context.mattermost.db, channelId, param(context, "user_id"));
  return member ?? refuse("app.channel.get_member.missing.app_error");
}

function getMembers(context: Context): unknown {
  const channel = requireChannelWith(context, param(context, "channel_id"), "read_channel");
  return render(context, listChannelMembers(context.mattermost.db, channel.id, readPage(context)));
}

function getMember(context: Context): unknown {
  const channel = requireChannelWith(context, param(context, "channel_id"), "read_channel");
  return render(context, [requireMember(context, channel.id)])[0];
}

function postIds(context: Context): unknown {
  const ids = readIds(context, "user_ids");
  const channel = requireChannelWith(context, param(context, "channel_id"), "read_channel");
  return render(context, listChannelMembersByIds(context.mattermost.db, channel.id, ids));
}

function getOfTeam(context: Context): unknown {
  const userId = param(context, "user_id");
  const teamId = param(context, "team_id");
  demandSelf(context, userId);
  demandInTeam(context, teamId, "view_team");
  return render(context, listChannelMembershipsOf(context.mattermost.db, userId, teamId));
}

/**
 * Returns whether the caller may add this user: anyone may add themselves to a public channel; any other
 * addition requires a permission.
 */
function mayAdd(context: Context, channel: ChannelRow, userId: string): boolean {
  const { db } = context.mattermost;
  const caller = callerId(context);
  if (channel.type === "P") return canInChannel(db, caller, channel, "manage_private_channel_members");
  const isSelf = userId === caller;
  return canInChannel(db, caller, channel, isSelf ? "join_public_channels" : "manage_public_channel_members");
}

function add(context: Context, channel: ChannelRow, userId: string): ChannelMemberRow {
  if (!isId(userId)) refuse("api.context.invalid_body_param.app_error", "user_id");
  demand(mayAdd(context, channel, userId));
  return joinChannel(context.mattermost, channel, requireUser(context, userId), requireCaller(context));
}

function postMember(context: Context): unknown {
  const body = readBody(context, NewMembers, "user_id");
  const many = context.mattermost.isV11 ? body.user_ids : undefined;
  const userIds = body.user_id ? [body.user_id] : (many ?? []);
  if (userIds.length === 0) refuse("api.context.invalid_body_param.app_error", "user_id");
  const channel = requireChannel(context, param(context, "channel_id"));
  if (channel.type !== "O" && channel.type !== "P") refuse("api.channel.add_user_to_channel.type.app_error");
  const members = render(
    context,
    userIds.map((userId) => add(context, channel, userId)),
  );
  return created(body.user_id ? members[0] : members);
}

function deleteMember(context: Context): unknown {
  const { mattermost } = context;
  const channel = requireChannel(context, param(context, "channel_id"));
  const userId = param(context, "user_id");
  const user = requireUser(context, userId);
  if (channel.type !== "O" && channel.type !== "P")
    refuse("api.channel.remove_channel_member.type.app_error");
  if (channel.name === "town-square") refuse("api.channel.remove.default.app_error");
  if (userId !== callerId(context)) {
    const permission =
      channel.type === "P" ? "manage_private_channel_members" : "manage_public_channel_members";
    demand(canInChannel(mattermost.db, callerId(context), channel, permission));
  }
  requireMember(context, channel.id);
  leaveChannel(mattermost, channel, user, requireCaller(context));
  return ok;
}

function putNotifyProps(context: Context): unknown {
  const { mattermost } = context;
  demandSelf(context, param(context, "user_id"));
  const body = readBody(context, NotifyProps, "notify_props");
  const member = requireMember(context, requireChannel(context, param(context, "channel_id")).id);
  const known = notifyKeys.filter((key) => body[key] !== undefined).map((key) => [key, body[key]]);
  const old = JSON.parse(member.notify_props) as Record<string, string>;
  updateChannelMember(mattermost.db, member.channel_id, member.user_id, {
    notify_props: JSON.stringify({ ...old, ...Object.fromEntries(known) }),
    last_update_at: mattermost.clock.now(),
  });
  publishMemberUpdated(mattermost, member.channel_id, member.user_id);
  return ok;
}

function setRoles(context: Context, schemeUser: boolean, schemeAdmin: boolean): unknown {
  const { mattermost } = context;
  const channel = requireChannelWith(context, param(context, "channel_id"), "manage_channel_roles");
  const member = requireMember(context, channel.id);
  updateChannelMember(mattermost.db, channel.id, member.user_id, {
    scheme_user: Number(schemeUser),
    scheme_admin: Number(schemeAdmin),
    last_update_at: mattermost.clock.now(),
  });
  publishMemberUpdated(mattermost, channel.id, member.user_id);
  return ok;
}

function putSchemeRoles(context: Context): unknown {
  const body = readBody(context, SchemeRoles, "scheme_admin");
  return setRoles(context, body.scheme_user, body.scheme_admin);
}

export const channelMemberRoutes: Route[] = [
  route("GET", "/channels/{channel_id}/members", getMembers),
  route("GET", "/channels/{channel_id}/members/{user_id}", getMember),
  route("POST", "/channels/{channel_id}/members/ids", postIds),
  route("POST", "/channels/{channel_id}/members", postMember),
  route("DELETE", "/channels/{channel_id}/members/{user_id}", deleteMember),
  route("PUT", "/channels/{channel_id}/members/{user_id}/notify_props", putNotifyProps),
  route("PUT", "/channels/{channel_id}/members/{user_id}/schemeRoles", putSchemeRoles),
  route("GET", "/users/{user_id}/teams/{team_id}/channels/members", getOfTeam),
];

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
  const { mattermost } = context;
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  const body = readBody(context, View, "channel_view");
  const ids = [...new Set([body.channel_id, body.prev_channel_id ?? ""])].filter((id) => id !== "");
  if (!ids.every(isId)) refuse("api.context.invalid_body_param.app_error", "channel_view.channel_id");
  const isNowhere = ids.length > 0 && !ids.some((id) => findChannel(mattermost.db, id));
  if (isNowhere && !mattermost.isV11) refuse("app.channel.update_last_viewed_at.app_error");
  return answer(viewChannels(mattermost, userId, ids, !body.collapsed_threads_supported));
}

function getUnread(context: Context): unknown {
  const { mattermost } = context;
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  const channel = requireChannelWith(context, param(context, "channel_id"), "read_channel");
  const member = findChannelMember(mattermost.db, channel.id, userId);
  if (!member) refuse("app.channel.get_member.missing.app_error");
  return {
    team_id: channel.team_id,
    channel_id: channel.id,
    msg_count: Math.max(0, channel.total_msg_count - member.msg_count),
    mention_count: member.mention_count,
    mention_count_root: member.mention_count_root,
    ...(mattermost.isV11 && { urgent_mention_count: 0 }),
    msg_count_root: Math.max(0, channel.total_msg_count_root - member.msg_count_root),
  };
}

function postSetUnread(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  // An empty body counts as a client without collapsed threads.
  const body = context.rawBody.length > 0 ? readBody(context, MarkUnread, "collapsed_threads_supported") : {};
  const post = requirePostWithRight(context, param(context, "post_id"), "read_channel");
  const channel = findChannel(context.mattermost.db, post.channel_id);
  if (!channel) refuse("app.channel.get.existing.app_error");
  return markUnread(context.mattermost, channel, userId, post, body.collapsed_threads_supported ?? false);
}

export const unreadRoutes: Route[] = [
  route("POST", "/channels/members/{user_id}/view", postView),
  route("GET", "/users/{user_id}/channels/{channel_id}/unread", getUnread),
  route("POST", "/users/{user_id}/posts/{post_id}/set_unread", postSetUnread),
];
