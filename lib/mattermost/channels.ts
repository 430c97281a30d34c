import { z } from "zod";
import type { Caller } from "./backend.ts";
import { isRefusal } from "./backend-error.ts";
import { Channel } from "./channel.ts";
import { Done } from "./done.ts";
import { path } from "./path.ts";

/** @throws CodedError `not_found`, `forbidden` */
export function readChannel(caller: Caller, channelId: string): Promise<Channel> {
  return caller.call("GET", path`/channels/${channelId}`, Channel);
}

const Channels = z.array(Channel);

/** The caller's channels in a team, and all his direct and group channels. */
export async function listOwnChannels(caller: Caller, teamId: string): Promise<Channel[]> {
  try {
    return await caller.call("GET", path`/users/me/teams/${teamId}/channels`, Channels);
  } catch (error) {
    // A member of no channel gets this instead of an empty list.
    if (isRefusal(error, "app.channel.get_channels.not_found.app_error")) return [];
    throw error;
  }
}

/** The public channels of a team that match a term. */
export function findChannels(caller: Caller, teamId: string, term: string): Promise<Channel[]> {
  return caller.call("POST", path`/teams/${teamId}/channels/search`, Channels, { term });
}

/** Makes a public channel. @throws CodedError `invalid_request` when the name is taken */
export function createPublicChannel(
  caller: Caller,
  channel: { team_id: string; name: string; display_name: string },
): Promise<Channel> {
  return caller.call("POST", "/channels", Channel, { ...channel, type: "O" });
}

/** The direct channel of two users, made where there is none. */
export function openDirectChannel(caller: Caller, userIds: readonly [string, string]): Promise<Channel> {
  return caller.call("POST", "/channels/direct", Channel, userIds);
}

const Viewed = Done.loose();

/** Marks a channel and, collapsed or not, its threads read. Whether the caller is a member, the answer does not tell. */
export async function viewChannel(caller: Caller, channelId: string): Promise<void> {
  await caller.call("POST", "/channels/members/me/view", Viewed, { channel_id: channelId });
}
