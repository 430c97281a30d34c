import { z } from "zod";
import { Done, type MattermostSession, path } from "./backend.ts";
import { isRefusal } from "./backend-error.ts";
import { ChannelMember } from "./channels.ts";

const Members = z.array(ChannelMember);

/** The caller's memberships in a team's channels and in all their direct and group channels. */
export function listOwnMemberships(caller: MattermostSession, teamId: string): Promise<ChannelMember[]> {
  return caller.call("GET", path`/users/me/teams/${teamId}/channels/members`, Members);
}

/** The caller's membership. @throws CodedError `not_found`, `forbidden` */
export function readOwnMembership(caller: MattermostSession, channelId: string): Promise<ChannelMember> {
  return caller.call("GET", path`/channels/${channelId}/members/me`, ChannelMember);
}

/** The first `limit` (at most 200) memberships of a channel. */
export function listMembers(
  caller: MattermostSession,
  channelId: string,
  limit: number,
): Promise<ChannelMember[]> {
  return caller.call("GET", `${path`/channels/${channelId}/members`}?page=0&per_page=${limit}`, Members);
}

const Stats = z.object({ member_count: z.number() });

/** How many members a channel has. */
export async function countMembers(caller: MattermostSession, channelId: string): Promise<number> {
  const stats = await caller.call(
    "GET",
    `${path`/channels/${channelId}/stats`}?exclude_files_count=true`,
    Stats,
  );
  return stats.member_count;
}

/** Puts a user into a channel; one who is in it stays so. */
export async function addChannelMember(
  caller: MattermostSession,
  channelId: string,
  userId: string,
): Promise<ChannelMember> {
  const add = () =>
    caller.call("POST", path`/channels/${channelId}/members`, ChannelMember, { user_id: userId });
  try {
    return await add();
  } catch (error) {
    // Of two additions of one user at the same time the backend fails the second; asked again, it finds the member.
    if (!isRefusal(error, "api.channel.add_user.to.channel.failed.app_error")) throw error;
    return add();
  }
}

/** Takes the caller out of a channel. */
export async function leaveChannel(caller: MattermostSession, channelId: string): Promise<void> {
  await caller.call("DELETE", path`/channels/${channelId}/members/me`, Done);
}

/** Mutes (mentions only) or unmutes a channel for the caller. */
export async function muteChannel(
  caller: MattermostSession,
  channelId: string,
  isMuted: boolean,
): Promise<void> {
  const props = { mark_unread: isMuted ? "mention" : "all" };
  await caller.call("PUT", path`/channels/${channelId}/members/me/notify_props`, Done, props);
}
