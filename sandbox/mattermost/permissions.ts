import { type Context, callerId, type Mattermost } from "./context.ts";
import type { Database } from "./database.ts";
import { demand, refuse } from "./errors.ts";
import { type ChannelRow, findChannel, findChannelMember } from "./model/channels.ts";
import { findTeamMember } from "./model/teams.ts";
import { findUser } from "./model/users.ts";

export function can(db: Database, userId: string, permission: Permission): boolean {
  return rolesGrant(findUser(db, userId)?.roles ?? "", permission);
}

/** Returns whether the roles in the team or the system grant the permission. */
export function canInTeam(db: Database, userId: string, teamId: string, permission: Permission): boolean {
  const member = findTeamMember(db, teamId, userId);
  if (member && member.delete_at === 0) {
    if (member.scheme_user && rolesGrant("team_user", permission)) return true;
    if (member.scheme_admin && rolesGrant("team_admin", permission)) return true;
  }
  return can(db, userId, permission);
}

/** Returns whether the roles in the channel, its team or the system grant the permission. */
export function canInChannel(
  db: Database,
  userId: string,
  channel: ChannelRow,
  permission: Permission,
): boolean {
  const member = findChannelMember(db, channel.id, userId);
  if (member?.scheme_user && rolesGrant("channel_user", permission)) return true;
  if (member?.scheme_admin && rolesGrant("channel_admin", permission)) return true;
  return channel.team_id ? canInTeam(db, userId, channel.team_id, permission) : can(db, userId, permission);
}

export function isSystemAdmin(db: Database, userId: string): boolean {
  return can(db, userId, "manage_system");
}

/** Returns whether the user may see the channel, as a member, or because it is a public one of their team. */
export function canSeeChannel(db: Database, userId: string, channel: ChannelRow): boolean {
  if (channel.type === "O" && canInTeam(db, userId, channel.team_id, "read_public_channel")) return true;
  return canInChannel(db, userId, channel, "read_channel");
}

/** Returns whether the user may list the channel's posts. v7 requires membership even in a public channel. */
export function canReadPosts(mattermost: Mattermost, userId: string, channel: ChannelRow): boolean {
  if (mattermost.isV11) return canSeeChannel(mattermost.db, userId, channel);
  return canInChannel(mattermost.db, userId, channel, "read_channel");
}

/** @throws ApiError 403 unless the caller is that user or may edit others. */
export function demandSelf(context: Context, userId: string): void {
  const caller = callerId(context);
  demand(caller === userId || can(context.mattermost.db, caller, "edit_other_users"));
}

export function demandPermission(context: Context, permission: Permission): void {
  demand(can(context.mattermost.db, callerId(context), permission));
}

export function demandInTeam(context: Context, teamId: string, permission: Permission): void {
  demand(canInTeam(context.mattermost.db, callerId(context), teamId, permission));
}

/** Returns the channel. @throws ApiError 404 if there is none with that id. */
export function requireChannel(context: Context, channelId: string): ChannelRow {
  return findChannel(context.mattermost.db, channelId) ?? refuse("app.channel.get.existing.app_error");
}

/**
 * Returns the channel if the caller has the permission in it, which no one has in a missing channel. @throws
 * ApiError 403.
 */
export function requireChannelWith(context: Context, channelId: string, permission: Permission): ChannelRow {
  const channel =
    findChannel(context.mattermost.db, channelId) ?? refuse("api.context.permissions.app_error");
  demand(canInChannel(context.mattermost.db, callerId(context), channel, permission));
  return channel;
}

const systemUser = [
  "join_public_teams",
  "create_direct_channel",
  "create_group_channel",
  "create_team",
] as const;
const accessTokens = [
  "create_user_access_token",
  "read_user_access_token",
  "revoke_user_access_token",
] as const;
const teamUser = [
  "view_team",
  "list_team_channels",
  "read_public_channel",
  "join_public_channels",
  "create_public_channel",
  "create_private_channel",
  "invite_user",
  "add_user_to_team",
] as const;
const teamAdmin = [
  "manage_team",
  "remove_user_from_team",
  "manage_team_roles",
  "manage_channel_roles",
  "delete_others_posts",
  "convert_public_channel_to_private",
  "convert_private_channel_to_public",
] as const;
const channelUser = [
  "read_channel",
  "create_post",
  "edit_post",
  "delete_post",
  "add_reaction",
  "remove_reaction",
  "upload_file",
  "manage_public_channel_members",
  "manage_private_channel_members",
  "manage_public_channel_properties",
  "manage_private_channel_properties",
  "delete_public_channel",
  "delete_private_channel",
] as const;
const channelAdmin = ["manage_channel_roles"] as const;
const adminOnly = [
  "manage_system",
  "manage_roles",
  "edit_other_users",
  "edit_others_posts",
  "remove_others_reactions",
  "join_private_teams",
  "sysconsole_write_user_management_users",
] as const;

const everyPermission = [
  ...systemUser,
  ...accessTokens,
  ...teamUser,
  ...teamAdmin,
  ...channelUser,
  ...channelAdmin,
  ...adminOnly,
];

export type Permission = (typeof everyPermission)[number];

/** Role name -> its permissions. */
export const roles: ReadonlyMap<string, ReadonlySet<Permission>> = new Map(
  (
    [
      ["system_user", systemUser],
      ["system_admin", everyPermission],
      ["system_user_access_token", accessTokens],
      ["team_user", teamUser],
      ["team_admin", teamAdmin],
      ["channel_user", channelUser],
      ["channel_admin", channelAdmin],
    ] as const
  ).map(([name, grants]) => [name, new Set<Permission>(grants)]),
);

/** Returns whether one of the space-separated roles grants the permission. */
function rolesGrant(names: string, permission: Permission): boolean {
  return names.split(" ").some((name) => roles.get(name)?.has(permission));
}
