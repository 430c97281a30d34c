import type { Backend } from "../backend.ts";
import type { ChannelRow } from "../model/channels.ts";
import type { UserRow } from "../model/users.ts";
import { storePost } from "./store-post.ts";

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

export function postAdded(backend: Backend, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  postSystem(backend, channel, actor, {
    type: "system_add_to_channel",
    message: `${user.username} added to the channel by ${actor.username}.`,
    props: { userId: actor.id, addedUserId: user.id, addedUsername: user.username },
    alsoMentioned: [user.id],
  });
}

export function postLeft(backend: Backend, channel: ChannelRow, user: UserRow): void {
  postSystem(backend, channel, user, {
    type: "system_leave_channel",
    message: `${user.username} left the channel.`,
  });
}

export function postRemoved(backend: Backend, channel: ChannelRow, user: UserRow, actor: UserRow): void {
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
