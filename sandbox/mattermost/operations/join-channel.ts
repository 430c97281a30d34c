import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { type ChannelMemberRow, findChannelMember, insertChannelMember } from "../model/channel-members.ts";
import type { ChannelRow } from "../model/channels.ts";
import { findTeamMember } from "../model/team-members.ts";
import type { UserRow } from "../model/users.ts";
import { postAdded, postJoined } from "./system-posts.ts";

const defaultNotifyProps = {
  desktop: "default",
  email: "default",
  ignore_channel_mentions: "default",
  mark_unread: "all",
  push: "default",
};

/** Stores a membership in which nothing is read yet. */
export function addMember(
  backend: Backend,
  channelId: string,
  userId: string,
  isAdmin: boolean,
): ChannelMemberRow {
  const row: ChannelMemberRow = {
    channel_id: channelId,
    user_id: userId,
    last_viewed_at: 0,
    msg_count: 0,
    mention_count: 0,
    mention_count_root: 0,
    msg_count_root: 0,
    notify_props: JSON.stringify(defaultNotifyProps),
    last_update_at: backend.clock.now(),
    scheme_user: 1,
    scheme_admin: Number(isAdmin),
  };
  insertChannelMember(backend.db, row);
  return row;
}

export function publishUserAdded(backend: Backend, channel: ChannelRow, userId: string): void {
  const event = { event: "user_added", data: { team_id: channel.team_id, user_id: userId } };
  if (!backend.isV11) {
    backend.publish({ ...event, broadcast: { channel_id: channel.id } });
    return;
  }
  backend.publish({ ...event, broadcast: { channel_id: channel.id, omit_users: { [userId]: true } } });
  backend.publish({ ...event, broadcast: { channel_id: channel.id, user_id: userId } });
}

/**
 * Puts a member of the team into one of its channels, by himself or by `actor`; nothing happens to one who is in.
 *
 * @throws ApiError for a D or G channel and for one who is not in the team.
 */
export function joinChannel(
  backend: Backend,
  channel: ChannelRow,
  user: UserRow,
  actor: UserRow,
): ChannelMemberRow {
  if (channel.type !== "O" && channel.type !== "P") refuse("api.channel.add_user_to_channel.type.app_error");
  const teamMember = findTeamMember(backend.db, channel.team_id, user.id);
  if (!teamMember || teamMember.delete_at > 0) refuse("app.team.get_member.missing.app_error");
  const present = findChannelMember(backend.db, channel.id, user.id);
  if (present) return present;
  const member = addMember(backend, channel.id, user.id, false);
  publishUserAdded(backend, channel, user.id);
  if (actor.id === user.id) postJoined(backend, channel, user);
  else postAdded(backend, channel, user, actor);
  return findChannelMember(backend.db, channel.id, user.id) ?? member;
}
