import type { Backend } from "../backend.ts";
import { findChannelMember } from "../model/channel-members.ts";
import { channelMemberObject } from "../serializers/channel.ts";

/** Tells a member how his membership looks now. */
export function publishMemberUpdated(backend: Backend, channelId: string, userId: string): void {
  const member = findChannelMember(backend.db, channelId, userId);
  if (!member) return;
  backend.publish({
    event: "channel_member_updated",
    data: { channelMember: JSON.stringify(channelMemberObject(backend, member, userId)) },
    broadcast: { user_id: userId },
  });
}
