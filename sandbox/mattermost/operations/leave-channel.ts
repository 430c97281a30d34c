import type { Backend } from "../backend.ts";
import { dropFromCategories } from "../model/categories.ts";
import { deleteChannelMember } from "../model/channel-members.ts";
import type { ChannelRow } from "../model/channels.ts";
import type { UserRow } from "../model/users.ts";
import { postLeft, postRemoved } from "./system-posts.ts";

/** Takes a member out of a channel and tells him and those who stay; no post about it. */
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

/** Takes a member out of a channel, by himself or by `actor`, and says so there. */
export function leaveChannel(backend: Backend, channel: ChannelRow, user: UserRow, actor: UserRow): void {
  dropMember(backend, channel, user.id, actor.id);
  if (actor.id === user.id) postLeft(backend, channel, user);
  else postRemoved(backend, channel, user, actor);
}
