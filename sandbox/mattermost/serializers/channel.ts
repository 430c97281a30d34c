import type { Mattermost } from "../context.ts";
import type { ChannelMemberRow, ChannelRow } from "../model/channels.ts";
import type { TeamMemberRow, TeamRow } from "../model/teams.ts";
import type { AccessTokenRow, SessionRow, UserRow } from "../model/users.ts";
import { canInTeam } from "../permissions.ts";

export function channelObject(mattermost: Mattermost, row: ChannelRow): Record<string, unknown> {
  return {
    id: row.id,
    create_at: row.create_at,
    update_at: row.update_at,
    delete_at: row.delete_at,
    team_id: row.team_id,
    type: row.type,
    display_name: row.display_name,
    name: row.name,
    header: row.header,
    purpose: row.purpose,
    last_post_at: row.last_post_at,
    total_msg_count: row.total_msg_count,
    extra_update_at: 0,
    creator_id: row.creator_id,
    scheme_id: null,
    props: null,
    group_constrained: null,
    shared: row.type === "D" ? false : null,
    total_msg_count_root: row.total_msg_count_root,
    policy_id: null,
    last_root_post_at: row.last_root_post_at,
    ...(mattermost.isV11 && {
      autotranslation: false,
      banner_info: null,
      policy_enforced: false,
      policy_is_active: false,
      default_category_name: "",
    }),
  };
}

/** Renders a membership as `viewerId` sees it. v11 hides the read times of others. */
export function channelMemberObject(
  mattermost: Mattermost,
  row: ChannelMemberRow,
  viewerId: string,
): Record<string, unknown> {
  const isHidden = mattermost.isV11 && row.user_id !== viewerId;
  return {
    channel_id: row.channel_id,
    user_id: row.user_id,
    roles: [row.scheme_user && "channel_user", row.scheme_admin && "channel_admin"].filter(Boolean).join(" "),
    last_viewed_at: isHidden ? -1 : row.last_viewed_at,
    msg_count: row.msg_count,
    mention_count: row.mention_count,
    mention_count_root: row.mention_count_root,
    ...(mattermost.isV11 && { urgent_mention_count: 0 }),
    msg_count_root: row.msg_count_root,
    notify_props: JSON.parse(row.notify_props),
    last_update_at: isHidden ? -1 : row.last_update_at,
    scheme_guest: false,
    scheme_user: row.scheme_user === 1,
    scheme_admin: row.scheme_admin === 1,
    explicit_roles: "",
  };
}

/** Renders a team for one user: managers see the e-mail, and users who may invite see the invitation. */
export function teamObject(mattermost: Mattermost, row: TeamRow, viewerId: string): Record<string, unknown> {
  const isManager = canInTeam(mattermost.db, viewerId, row.id, "manage_team");
  const isInviter = canInTeam(mattermost.db, viewerId, row.id, "invite_user");
  return {
    ...publicTeamObject(mattermost, row),
    email: isManager ? row.email : "",
    invite_id: isInviter ? row.invite_id : "",
  };
}

/** Renders a team for an event, without its e-mail and invitation. */
export function publicTeamObject(mattermost: Mattermost, row: TeamRow): Record<string, unknown> {
  return {
    id: row.id,
    create_at: row.create_at,
    update_at: row.update_at,
    delete_at: row.delete_at,
    display_name: row.display_name,
    name: row.name,
    description: row.description,
    email: "",
    type: row.type,
    company_name: row.company_name,
    allowed_domains: row.allowed_domains,
    invite_id: "",
    allow_open_invite: row.allow_open_invite === 1,
    scheme_id: null,
    group_constrained: null,
    policy_id: null,
    ...(mattermost.isV11 && { cloud_limits_archived: false }),
  };
}

export function teamMemberObject(row: TeamMemberRow): Record<string, unknown> {
  return {
    team_id: row.team_id,
    user_id: row.user_id,
    roles: [row.scheme_user && "team_user", row.scheme_admin && "team_admin"].filter(Boolean).join(" "),
    delete_at: row.delete_at,
    scheme_guest: false,
    scheme_user: row.scheme_user === 1,
    scheme_admin: row.scheme_admin === 1,
    explicit_roles: "",
  };
}

export type UserObject = Record<string, unknown> & { id: string };

/**
 * Renders a user: if `isOwn`, for the user or an admin who changes them, otherwise for others, who may not
 * see the address.
 */
export function userObject(row: UserRow, isOwn: boolean, showsEmail = isOwn): UserObject {
  const props = JSON.parse(row.props) as Record<string, string>;
  return {
    id: row.id,
    create_at: row.create_at,
    update_at: row.update_at,
    delete_at: row.delete_at,
    username: row.username,
    auth_data: "",
    auth_service: "",
    email: showsEmail ? row.email : "",
    nickname: row.nickname,
    first_name: row.first_name,
    last_name: row.last_name,
    position: row.position,
    roles: row.roles,
    ...(Object.keys(props).length > 0 && { props }),
    ...(isOwn && {
      notify_props: JSON.parse(row.notify_props),
      last_password_update: row.last_password_update,
    }),
    ...(row.last_picture_update !== 0 && { last_picture_update: row.last_picture_update }),
    locale: row.locale,
    timezone: JSON.parse(row.timezone),
    disable_welcome_email: false,
  };
}

/** Returns the placeholder for a participant if only their id is sent. */
export function sparseUserObject(id: string): UserObject {
  const blank = { username: "", auth_service: "", email: "", nickname: "", first_name: "", last_name: "" };
  return {
    id,
    delete_at: 0,
    ...blank,
    position: "",
    roles: "",
    locale: "",
    timezone: null,
    disable_welcome_email: false,
  };
}

/** Renders a session for its owner, without its token. */
export function sessionObject(row: SessionRow): Record<string, unknown> {
  const { csrf: _, ...props } = JSON.parse(row.props) as Record<string, string>;
  return {
    ...row,
    token: "",
    props,
    is_oauth: false,
    expired_notify: false,
    team_members: [],
    local: false,
  };
}

/** Renders a personal access token without its secret. */
export function accessTokenObject(row: AccessTokenRow): Record<string, unknown> {
  return {
    id: row.id,
    user_id: row.user_id,
    description: row.description,
    is_active: row.is_active === 1,
  };
}
