import { z } from "zod";
import { type Context, callerId, param, queryFlag, readBody, readIds } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import { isId } from "../id.ts";
import { type ChannelRow, countChannelMembers, findChannelByName } from "../model/channels.ts";
import { listPinned } from "../model/posts.ts";
import { findUser } from "../model/users.ts";
import {
  archiveChannel,
  convertChannel,
  createChannel,
  openDirect,
  openGroup,
  patchChannel,
  restoreChannel,
} from "../operations/create-channel.ts";
import {
  canInChannel,
  canSeeChannel,
  demandInTeam,
  demandPermission,
  isSystemAdmin,
  requireChannel,
  requireChannelWith,
} from "../permissions.ts";
import { created, ok, requireCaller } from "../require.ts";
import { type Route, route } from "../router.ts";
import { channelObject } from "../serializers/channel.ts";

const NewChannel = z.object({
  team_id: z.string().optional(),
  name: z.string(),
  display_name: z.string(),
  type: z.enum(["O", "P"]),
  header: z.string().optional(),
  purpose: z.string().optional(),
});
const ChannelPatch = z.object({
  display_name: z.string().nullish(),
  name: z.string().nullish(),
  header: z.string().nullish(),
  purpose: z.string().nullish(),
});
const Privacy = z.object({ privacy: z.enum(["O", "P"]) });

function postChannel(context: Context): unknown {
  const { mattermost } = context;
  const body = readBody(context, NewChannel, "channel");
  const teamId = body.team_id ?? "";
  if (!isId(teamId)) {
    if (mattermost.isV11) refuse("api.context.invalid_body_param.app_error", "team_id");
    refuse("api.context.permissions.app_error");
  }
  demandInTeam(context, teamId, body.type === "O" ? "create_public_channel" : "create_private_channel");
  const channel = createChannel(mattermost, requireCaller(context), {
    team_id: teamId,
    type: body.type,
    name: body.name,
    display_name: body.display_name,
    header: body.header ?? "",
    purpose: body.purpose ?? "",
  });
  return created(channelObject(mattermost, channel));
}

function getChannel(context: Context): unknown {
  const channel = requireChannel(context, param(context, "channel_id"));
  demand(canSeeChannel(context.mattermost.db, callerId(context), channel));
  return channelObject(context.mattermost, channel);
}

function showNamed(context: Context, teamId: string): unknown {
  const { mattermost } = context;
  const name = param(context, "channel_name");
  const caller = callerId(context);
  const channel =
    findChannelByName(mattermost.db, teamId, name) ?? findChannelByName(mattermost.db, "", name);
  const isThere = channel && (channel.delete_at === 0 || queryFlag(context, "include_deleted"));
  if (!isThere) refuse("app.channel.get_by_name.missing.app_error");
  // Callers without access cannot tell a private channel from a missing one.
  if (!canSeeChannel(mattermost.db, caller, channel)) {
    demand(channel.type !== "O");
    refuse("app.channel.get_by_name.missing.app_error");
  }
  return channelObject(mattermost, channel);
}

function getByName(context: Context): unknown {
  return showNamed(context, param(context, "team_id"));
}

/** Returns a channel whose properties the caller may change. @throws ApiError */
function requireManageable(context: Context): ChannelRow {
  const channel = requireChannel(context, param(context, "channel_id"));
  const permission =
    channel.type === "P" ? "manage_private_channel_properties" : "manage_public_channel_properties";
  const isDirect = channel.type === "D" || channel.type === "G";
  demand(
    canInChannel(context.mattermost.db, callerId(context), channel, isDirect ? "read_channel" : permission),
  );
  return channel;
}

function putPatch(context: Context): unknown {
  const body = readBody(context, ChannelPatch, "channel");
  const channel = requireManageable(context);
  if (channel.delete_at > 0) refuse("api.channel.update_channel.deleted.app_error");
  const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === "string"));
  const isDirect = channel.type === "D" || channel.type === "G";
  if (isDirect && Object.keys(changes).some((key) => key !== "header")) {
    refuse("api.channel.patch_update_channel.forbidden.app_error");
  }
  return channelObject(
    context.mattermost,
    patchChannel(context.mattermost, channel, requireCaller(context), changes),
  );
}

function putPrivacy(context: Context): unknown {
  const { privacy } = readBody(context, Privacy, "privacy");
  const channel = requireChannel(context, param(context, "channel_id"));
  const permission =
    privacy === "O" ? "convert_private_channel_to_public" : "convert_public_channel_to_private";
  demand(canInChannel(context.mattermost.db, callerId(context), channel, permission));
  if (channel.type !== "O" && channel.type !== "P")
    refuse("api.context.invalid_body_param.app_error", "privacy");
  if (channel.name === "town-square" && privacy === "P") {
    refuse("api.channel.update_channel_privacy.default_channel_error");
  }
  return channelObject(
    context.mattermost,
    convertChannel(context.mattermost, channel, requireCaller(context), privacy),
  );
}

function deleteChannel(context: Context): unknown {
  const channel = requireChannel(context, param(context, "channel_id"));
  if (channel.type === "D" || channel.type === "G") refuse("api.channel.delete_channel.type.invalid");
  const permission = channel.type === "O" ? "delete_public_channel" : "delete_private_channel";
  demand(canInChannel(context.mattermost.db, callerId(context), channel, permission));
  if (channel.delete_at > 0) refuse("api.channel.delete_channel.deleted.app_error");
  if (channel.name === "town-square") refuse("api.channel.delete_channel.cannot.app_error");
  archiveChannel(context.mattermost, channel, requireCaller(context));
  return ok;
}

function postRestore(context: Context): unknown {
  const channel = requireChannel(context, param(context, "channel_id"));
  demandInTeam(context, channel.team_id, "manage_team");
  if (channel.delete_at === 0) refuse("api.channel.restore_channel.restored.app_error");
  return channelObject(
    context.mattermost,
    restoreChannel(context.mattermost, channel, requireCaller(context)),
  );
}

function getStats(context: Context): unknown {
  const { db } = context.mattermost;
  const channel = requireChannelWith(context, param(context, "channel_id"), "read_channel");
  return {
    channel_id: channel.id,
    member_count: countChannelMembers(db, channel.id),
    guest_count: 0,
    pinnedpost_count: listPinned(db, channel.id).length,
    files_count: queryFlag(context, "exclude_files_count") ? -1 : 0,
  };
}

/** Answers with the number of active members in each of these channels, for users who may see them. */
function postMemberCounts(context: Context): unknown {
  const { mattermost } = context;
  // Version 7 has no such route.
  if (!mattermost.isV11) refuse("api.context.404.app_error");
  const ids = readIds(context, "channel_ids");
  const channels = ids.map((id) => requireChannel(context, id));
  for (const channel of channels) {
    const isSeen = canSeeChannel(mattermost.db, callerId(context), channel);
    demand(isSeen || isSystemAdmin(mattermost.db, callerId(context)));
  }
  return Object.fromEntries(channels.map(({ id }) => [id, countChannelMembers(mattermost.db, id)]));
}

function postDirect(context: Context): unknown {
  const { mattermost } = context;
  const caller = callerId(context);
  const body = readBody(context, z.array(z.string()), "user_ids");
  const isNoteToSelf = mattermost.isV11 && body.length === 1 && body[0] === caller;
  const [first = "", second = ""] = isNoteToSelf ? [caller, caller] : body;
  const isPair = isNoteToSelf || body.length === 2;
  if (!isPair || !isId(first) || !isId(second))
    refuse("api.context.invalid_body_param.app_error", "user_ids");
  demandPermission(context, "create_direct_channel");
  demand(first === caller || second === caller || isSystemAdmin(mattermost.db, caller));
  for (const id of [first, second]) {
    if (!findUser(mattermost.db, id)) refuse("api.channel.create_direct_channel.invalid_user.app_error");
  }
  const otherId = first === caller ? second : first;
  const creatorId = first === caller || second === caller ? caller : second;
  return created(channelObject(mattermost, openDirect(mattermost, creatorId, otherId)));
}

function postGroup(context: Context): unknown {
  const { mattermost } = context;
  const ids = new Set([...readIds(context, "user_ids"), callerId(context)]);
  demandPermission(context, "create_group_channel");
  if (ids.size < 3 || ids.size > 8) refuse("api.channel.create_group.bad_size.app_error");
  for (const id of ids) {
    if (!findUser(mattermost.db, id)) refuse("api.channel.create_group.bad_user.app_error");
  }
  return created(channelObject(mattermost, openGroup(mattermost, [...ids])));
}

export const channelRoutes: Route[] = [
  route("POST", "/channels", postChannel),
  route("POST", "/channels/direct", postDirect),
  route("POST", "/channels/group", postGroup),
  route("GET", "/channels/{channel_id}", getChannel),
  route("PUT", "/channels/{channel_id}/patch", putPatch),
  route("PUT", "/channels/{channel_id}/privacy", putPrivacy),
  route("DELETE", "/channels/{channel_id}", deleteChannel),
  route("POST", "/channels/{channel_id}/restore", postRestore),
  route("GET", "/channels/{channel_id}/stats", getStats),
  route("POST", "/channels/stats/member_count", postMemberCounts),
  route("GET", "/teams/{team_id}/channels/name/{channel_name}", getByName),
];
