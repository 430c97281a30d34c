import type { Backend } from "./backend.ts";
import type { Context } from "./context.ts";
import { callerId } from "./context.ts";
import type { Database } from "./database.ts";
import { demand, refuse } from "./errors.ts";
import { findChannelMember } from "./model/channel-members.ts";
import { type ChannelRow, findChannel } from "./model/channels.ts";
import { findTeamMember } from "./model/team-members.ts";
import { findUser } from "./model/users.ts";
import { type Permission, rolesGrant } from "./roles.ts";

export function can(db: Database, userId: string, permission: Permission): boolean {
  return rolesGrant(findUser(db, userId)?.roles ?? "", permission);
}

/** By the roles in the team, else by those in the system. */
export function canInTeam(db: Database, userId: string, teamId: string, permission: Permission): boolean {
  const member = findTeamMember(db, teamId, userId);
  if (member && member.delete_at === 0) {
    if (member.scheme_user && rolesGrant("team_user", permission)) return true;
    if (member.scheme_admin && rolesGrant("team_admin", permission)) return true;
  }
  return can(db, userId, permission);
}

/** By the roles in the channel, else by those in its team, else by those in the system. */
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

/** Whether the user may know the channel: a member, or a public channel of his team. */
export function canSeeChannel(db: Database, userId: string, channel: ChannelRow): boolean {
  if (channel.type === "O" && canInTeam(db, userId, channel.team_id, "read_public_channel")) return true;
  return canInChannel(db, userId, channel, "read_channel");
}

/** Whether the user may read lists of the channel's posts; v7 wants a member even in a public channel. */
export function canReadPosts(backend: Backend, userId: string, channel: ChannelRow): boolean {
  if (backend.isV11) return canSeeChannel(backend.db, userId, channel);
  return canInChannel(backend.db, userId, channel, "read_channel");
}

/** @throws ApiError 403 unless the caller is that user or may edit others. */
export function demandSelf(context: Context, userId: string): void {
  const caller = callerId(context);
  demand(caller === userId || can(context.backend.db, caller, "edit_other_users"));
}

export function demandPermission(context: Context, permission: Permission): void {
  demand(can(context.backend.db, callerId(context), permission));
}

export function demandInTeam(context: Context, teamId: string, permission: Permission): void {
  demand(canInTeam(context.backend.db, callerId(context), teamId, permission));
}

/** The channel. @throws ApiError 404 when there is none of that id. */
export function needChannel(context: Context, channelId: string): ChannelRow {
  return findChannel(context.backend.db, channelId) ?? refuse("app.channel.get.existing.app_error");
}

/** The channel, if the caller has the permission there: nobody has one where there is none. @throws ApiError 403. */
export function needChannelWith(context: Context, channelId: string, permission: Permission): ChannelRow {
  const channel = findChannel(context.backend.db, channelId) ?? refuse("api.context.permissions.app_error");
  demand(canInChannel(context.backend.db, callerId(context), channel, permission));
  return channel;
}
