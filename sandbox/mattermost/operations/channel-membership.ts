import type { Backend } from "../context.ts";
import { refuse } from "../errors.ts";
import {
  type ChannelMemberRow,
  type ChannelRow,
  deleteChannelMember,
  findChannel,
  findChannelMember,
  insertChannelMember,
} from "../model/channels.ts";
import {
  dropFromCategories,
  listCategories,
  listCategoryChannels,
  setCategoryChannels,
} from "../model/preferences.ts";
import { findTeamMember, listTeamsOf } from "../model/teams.ts";
import type { UserRow } from "../model/users.ts";
import { storePost } from "./store-post.ts";

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
 * Puts a member of the team into one of its channels, by themselves or by `actor`; nothing happens to one who is in.
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

/** Takes a member out of a channel and tells them and those who stay; no post about it. */
export function dropMember(backend: Backend, channel: ChannelRow, userId: string, removerId: string): void {
  deleteChannelMember(backend.db, channel.id, userId);
  dropFromCategories(backend.db, userId, channel.id);
  backend.publish({
    event: "user_removed",
    data: { remover_id: removerId, user_id: userId },
    broadcast: { channel_id: channel.id },
  });
  backend.publish({
    event: "user_removed",
    data: { channel_id: channel.id, remover_id: removerId },
    broadcast: { user_id: userId },
  });
}

/** Takes a member out of a channel, by themselves or by `actor`, and says so there. */
export function leaveChannel(backend: Backend, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  dropMember(backend, channel, user.id, actor.id);
  if (actor.id === user.id) postLeft(backend, channel, user);
  else postRemoved(backend, channel, user, actor);
}

/** Applies to the sidebar a `favorite_channel` preference: into the favourites, or back to where the kind belongs. */
export function favorChannel(backend: Backend, userId: string, channelId: string, isFavorite: boolean): void {
  const channel = findChannel(backend.db, channelId);
  if (!channel || !findChannelMember(backend.db, channelId, userId)) return;
  const teamIds = channel.team_id
    ? [channel.team_id]
    : listTeamsOf(backend.db, userId).map((team) => team.id);
  for (const teamId of teamIds) {
    const favorites = listCategories(backend.db, userId, teamId).find((row) => row.type === "favorites");
    // Without a sidebar yet, the preference itself is read when one is made.
    if (!favorites) continue;
    const present = listCategoryChannels(backend.db, favorites.id);
    if (present.includes(channelId) === isFavorite) continue;
    dropFromCategories(backend.db, userId, channelId, teamId);
    if (isFavorite) setCategoryChannels(backend.db, favorites.id, [channelId, ...present]);
  }
}

/** The server's own post in a channel, by the one who acted. */
export function postSystem(
  backend: Backend,
  channel: ChannelRow,
  actor: UserRow,
  post: { type: string; message: string; props?: Record<string, unknown>; alsoMentioned?: readonly string[] },
): void {
  storePost(backend, {
    channel,
    userId: actor.id,
    type: post.type,
    message: post.message,
    props: { username: actor.username, ...post.props },
    ...(post.alsoMentioned && { alsoMentioned: post.alsoMentioned }),
  });
}

export function postJoined(backend: Backend, channel: ChannelRow, user: UserRow): void {
  postSystem(backend, channel, user, {
    type: "system_join_channel",
    message: `${user.username} joined the channel.`,
  });
}

export function postJoinedTeam(backend: Backend, channel: ChannelRow, user: UserRow): void {
  postSystem(backend, channel, user, {
    type: "system_join_team",
    message: `${user.username} joined the team.`,
  });
}

function postAdded(backend: Backend, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  postSystem(backend, channel, actor, {
    type: "system_add_to_channel",
    message: `${user.username} added to the channel by ${actor.username}.`,
    props: { userId: actor.id, addedUserId: user.id, addedUsername: user.username },
    alsoMentioned: [user.id],
  });
}

function postLeft(backend: Backend, channel: ChannelRow, user: UserRow): void {
  postSystem(backend, channel, user, {
    type: "system_leave_channel",
    message: `${user.username} left the channel.`,
  });
}

function postRemoved(backend: Backend, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  postSystem(backend, channel, actor, {
    type: "system_remove_from_channel",
    message: `${user.username} was removed from the channel.`,
    props: { removedUserId: user.id, removedUsername: user.username },
  });
}

export function postLeftTeam(backend: Backend, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  const isOwnWish = user.id === actor.id;
  postSystem(backend, channel, actor, {
    type: isOwnWish ? "system_leave_team" : "system_remove_from_team",
    message: isOwnWish ? `${user.username} left the team.` : `${user.username} was removed from the team.`,
  });
}
