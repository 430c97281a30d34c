import type { Mattermost } from "../context.ts";
import { findChannelMember } from "../model/channels.ts";
import type { UserRow } from "../model/users.ts";
import { channelMemberObject, userObject } from "../serializers/channel.ts";

/** Publishes a changed user: all fields to the user, and all but the private ones to everyone else. */
export function publishUserUpdated(mattermost: Mattermost, user: UserRow): void {
  const omit_users = { [user.id]: true } as const;
  const others = {
    event: "user_updated",
    data: { user: userObject(user, false, mattermost.settings.showEmailAddress) },
  };
  const own = { user: userObject(user, true) };
  if (mattermost.isV11) {
    mattermost.publish({ ...others, data: own, broadcast: { omit_users, contains_sensitive_data: true } });
    mattermost.publish({ ...others, broadcast: { omit_users, contains_sanitized_data: true } });
  } else {
    mattermost.publish({ ...others, broadcast: { omit_users } });
  }
  mattermost.publish({ event: "user_updated", data: own, broadcast: { user_id: user.id } });
}

/** Publishes a new picture to everyone, including the user. */
export function publishPictureChanged(mattermost: Mattermost, user: UserRow): void {
  mattermost.publish({
    event: "user_updated",
    data: { user: userObject(user, false, mattermost.settings.showEmailAddress) },
    broadcast: {},
  });
}

/** Publishes a membership to its member. */
export function publishMemberUpdated(mattermost: Mattermost, channelId: string, userId: string): void {
  const member = findChannelMember(mattermost.db, channelId, userId);
  if (!member) return;
  mattermost.publish({
    event: "channel_member_updated",
    data: { channelMember: JSON.stringify(channelMemberObject(mattermost, member, userId)) },
    broadcast: { user_id: userId },
  });
}

/** Publishes to the other members of a channel that someone is typing. */
export function publishTyping(
  mattermost: Mattermost,
  userId: string,
  channelId: string,
  parentId: string,
): void {
  mattermost.publish({
    event: "typing",
    data: { parent_id: parentId, user_id: userId },
    broadcast: { channel_id: channelId, omit_users: { [userId]: true } },
  });
}
