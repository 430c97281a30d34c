import type { Mattermost } from "../context.ts";
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

/** Stores a membership that has read no messages yet. */
export function addMember(
  mattermost: Mattermost,
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
    last_update_at: mattermost.clock.now(),
    scheme_user: 1,
    scheme_admin: Number(isAdmin),
  };
  insertChannelMember(mattermost.db, row);
  return row;
}

export function publishUserAdded(mattermost: Mattermost, channel: ChannelRow, userId: string): void {
  const event = { event: "user_added", data: { team_id: channel.team_id, user_id: userId } };
  if (!mattermost.isV11) {
    mattermost.publish({ ...event, broadcast: { channel_id: channel.id } });
    return;
  }
  mattermost.publish({ ...event, broadcast: { channel_id: channel.id, omit_users: { [userId]: true } } });
  mattermost.publish({ ...event, broadcast: { channel_id: channel.id, user_id: userId } });
}

/**
 * Adds a member of the team to one of its channels, on their own or by `actor`. Does nothing for members of
 * the channel.
 * @throws ApiError for a D or G channel, and for a user outside the team.
 */
export function joinChannel(
  mattermost: Mattermost,
  channel: ChannelRow,
  user: UserRow,
  actor: UserRow,
): ChannelMemberRow {
  if (channel.type !== "O" && channel.type !== "P") refuse("api.channel.add_user_to_channel.type.app_error");
  const teamMember = findTeamMember(mattermost.db, channel.team_id, user.id);
  if (!teamMember || teamMember.delete_at > 0) refuse("app.team.get_member.missing.app_error");
  const present = findChannelMember(mattermost.db, channel.id, user.id);
  if (present) return present;
  const member = addMember(mattermost, channel.id, user.id, false);
  publishUserAdded(mattermost, channel, user.id);
  if (actor.id === user.id) postJoined(mattermost, channel, user);
  else postAdded(mattermost, channel, user, actor);
  return findChannelMember(mattermost.db, channel.id, user.id) ?? member;
}

/** Removes a member from a channel, and notifies them and the others, without a post. */
export function dropMember(
  mattermost: Mattermost,
  channel: ChannelRow,
  userId: string,
  removerId: string,
): void {
  deleteChannelMember(mattermost.db, channel.id, userId);
  dropFromCategories(mattermost.db, userId, channel.id);
  mattermost.publish({
    event: "user_removed",
    data: { remover_id: removerId, user_id: userId },
    broadcast: { channel_id: channel.id },
  });
  mattermost.publish({
    event: "user_removed",
    data: { channel_id: channel.id, remover_id: removerId },
    broadcast: { user_id: userId },
  });
}

/** Removes a member from a channel, on their own or by `actor`, with a post about it. */
export function leaveChannel(
  mattermost: Mattermost,
  channel: ChannelRow,
  user: UserRow,
  actor: UserRow,
): void {
  dropMember(mattermost, channel, user.id, actor.id);
  if (actor.id === user.id) postLeft(mattermost, channel, user);
  else postRemoved(mattermost, channel, user, actor);
}

/**
 * Applies a `favorite_channel` preference to the sidebar: moves the channel to the favourites, or back to the
 * category of its type.
 */
export function favorChannel(
  mattermost: Mattermost,
  userId: string,
  channelId: string,
  isFavorite: boolean,
): void {
  const channel = findChannel(mattermost.db, channelId);
  if (!channel || !findChannelMember(mattermost.db, channelId, userId)) return;
  const teamIds = channel.team_id
    ? [channel.team_id]
    : listTeamsOf(mattermost.db, userId).map((team) => team.id);
  for (const teamId of teamIds) {
    const favorites = listCategories(mattermost.db, userId, teamId).find((row) => row.type === "favorites");
    // Without a sidebar, the preference is read when one is created.
    if (!favorites) continue;
    const present = listCategoryChannels(mattermost.db, favorites.id);
    if (present.includes(channelId) === isFavorite) continue;
    dropFromCategories(mattermost.db, userId, channelId, teamId);
    if (isFavorite) setCategoryChannels(mattermost.db, favorites.id, [channelId, ...present]);
  }
}

/** Creates the server's post in a channel, in the actor's name. */
export function postSystem(
  mattermost: Mattermost,
  channel: ChannelRow,
  actor: UserRow,
  post: { type: string; message: string; props?: Record<string, unknown>; alsoMentioned?: readonly string[] },
): void {
  storePost(mattermost, {
    channel,
    userId: actor.id,
    type: post.type,
    message: post.message,
    props: { username: actor.username, ...post.props },
    ...(post.alsoMentioned && { alsoMentioned: post.alsoMentioned }),
  });
}

export function postJoined(mattermost: Mattermost, channel: ChannelRow, user: UserRow): void {
  postSystem(mattermost, channel, user, {
    type: "system_join_channel",
    message: `${user.username} joined the channel.`,
  });
}

export function postJoinedTeam(mattermost: Mattermost, channel: ChannelRow, user: UserRow): void {
  postSystem(mattermost, channel, user, {
    type: "system_join_team",
    message: `${user.username} joined the team.`,
  });
}

function postAdded(mattermost: Mattermost, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  postSystem(mattermost, channel, actor, {
    type: "system_add_to_channel",
    message: `${user.username} added to the channel by ${actor.username}.`,
    props: { userId: actor.id, addedUserId: user.id, addedUsername: user.username },
    alsoMentioned: [user.id],
  });
}

function postLeft(mattermost: Mattermost, channel: ChannelRow, user: UserRow): void {
  postSystem(mattermost, channel, user, {
    type: "system_leave_channel",
    message: `${user.username} left the channel.`,
  });
}

function postRemoved(mattermost: Mattermost, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  postSystem(mattermost, channel, actor, {
    type: "system_remove_from_channel",
    message: `${user.username} was removed from the channel.`,
    props: { removedUserId: user.id, removedUsername: user.username },
  });
}

export function postLeftTeam(
  mattermost: Mattermost,
  channel: ChannelRow,
  user: UserRow,
  actor: UserRow,
): void {
  const isOwnWish = user.id === actor.id;
  postSystem(mattermost, channel, actor, {
    type: isOwnWish ? "system_leave_team" : "system_remove_from_team",
    message: isOwnWish ? `${user.username} left the team.` : `${user.username} was removed from the team.`,
  });
}
