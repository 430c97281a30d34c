import { z } from "zod";
import { nullOn } from "../errors.ts";
import { isRefusal } from "./exchange.ts";
import { Done, type MattermostCaller, path } from "./mattermost.ts";

/** A channel; unused fields pass through. */
export const Channel = z.looseObject({
  id: z.string(),
  name: z.string(),
  display_name: z.string(),
  type: z.enum(["O", "P", "D", "G"]),
  team_id: z.string(),
  header: z.string().default(""),
  purpose: z.string().default(""),
  create_at: z.number(),
  delete_at: z.number().default(0),
  last_post_at: z.number().default(0),
  total_msg_count: z.number().default(0),
  total_msg_count_root: z.number().default(0),
});
export type Channel = z.infer<typeof Channel>;

/** A membership; `msg_count` is the number of messages that the member has read. */
export const ChannelMember = z.looseObject({
  channel_id: z.string(),
  user_id: z.string(),
  last_viewed_at: z.number().default(0),
  msg_count: z.number().default(0),
  msg_count_root: z.number().default(0),
  mention_count: z.number().default(0),
  mention_count_root: z.number().default(0),
  scheme_admin: z.boolean().nullish(),
  notify_props: z
    .looseObject({
      mark_unread: z.string().optional(),
      desktop: z.string().optional(),
      ignore_channel_mentions: z.string().optional(),
    })
    .nullish(),
});
export type ChannelMember = z.infer<typeof ChannelMember>;

/** @throws CodedError `not_found`, `forbidden` */
export function readChannel(caller: MattermostCaller, channelId: string): Promise<Channel> {
  return caller.read(path`/channels/${channelId}`, Channel);
}

const Channels = z.array(Channel);

/** Lists the caller's channels in a team, and all their direct and group channels. */
export async function listOwnChannels(caller: MattermostCaller, teamId: string): Promise<Channel[]> {
  try {
    return await caller.call("GET", path`/users/me/teams/${teamId}/channels`, Channels);
  } catch (error) {
    // For a member of no channel, Mattermost answers with this error instead of an empty list.
    if (isRefusal(error, "app.channel.get_channels.not_found.app_error")) return [];
    throw error;
  }
}

/**
 * Finds the public channels of a team that match a term, without archived ones, which Mattermost includes.
 */
export async function findChannels(
  caller: MattermostCaller,
  teamId: string,
  term: string,
): Promise<Channel[]> {
  const found = await caller.call("POST", path`/teams/${teamId}/channels/search`, Channels, { term });
  return found.filter((channel) => channel.delete_at === 0);
}

/** Lists a page of a team's public channels, by title; `page` counts from 0. */
export function listPublicChannels(
  caller: MattermostCaller,
  teamId: string,
  page: number,
  perPage: number,
): Promise<Channel[]> {
  return caller.call("GET", `${path`/teams/${teamId}/channels`}?page=${page}&per_page=${perPage}`, Channels);
}

/** Creates a public channel. @throws CodedError `invalid_request` if the name is taken */
export function createPublicChannel(
  caller: MattermostCaller,
  channel: { team_id: string; name: string; display_name: string },
): Promise<Channel> {
  return caller.call("POST", "/channels", Channel, { ...channel, type: "O" });
}

/** Returns the direct channel of two users, created if needed. */
export function openDirectChannel(
  caller: MattermostCaller,
  userIds: readonly [string, string],
): Promise<Channel> {
  return caller.call("POST", "/channels/direct", Channel, userIds);
}

const Viewed = Done.loose();

/**
 * Marks a channel read, and its threads too unless `keepsThreads`. The answer does not reveal whether the caller is a
 * member.
 */
export async function viewChannel(
  caller: MattermostCaller,
  channelId: string,
  keepsThreads: boolean,
): Promise<void> {
  const view = { channel_id: channelId, collapsed_threads_supported: keepsThreads };
  await caller.call("POST", "/channels/members/me/view", Viewed, view);
}

/** A channel in the result of a team search. */
const ListedChannel = Channel.pick({ id: true, name: true, type: true, delete_at: true }).strip();
export type ListedChannel = z.infer<typeof ListedChannel>;

const FoundChannels = z.object({
  channels: z
    .array(ListedChannel)
    .nullish()
    .transform((channels) => channels ?? []),
  total_count: z.number(),
});

/**
 * Returns one page of a team's channels with the term in name, title or purpose: public, private and archived ones. For
 * administrators only; Mattermost sets no limit on `perPage`.
 */
export async function searchTeamChannels(
  admin: MattermostCaller,
  teamId: string,
  search: { term: string; page: number; perPage: number },
): Promise<{ channels: ListedChannel[]; total: number }> {
  const { term, page, perPage } = search;
  const { channels, total_count } = await admin.call("POST", "/channels/search", FoundChannels, {
    term,
    team_ids: [teamId],
    include_deleted: true,
    page,
    per_page: perPage,
  });
  return { channels, total: total_count };
}

/**
 * Returns the channel of that name if the caller can see it, even if archived (`delete_at > 0`); otherwise
 * null.
 */
export async function findNamedChannel(
  caller: MattermostCaller,
  teamId: string,
  name: string,
): Promise<Channel | null> {
  const named = path`/teams/${teamId}/channels/name/${name}`;
  return nullOn(caller.call("GET", `${named}?include_deleted=true`, Channel), "not_found");
}

const TeamMember = z.object({
  team_id: z.string(),
  user_id: z.string(),
  scheme_admin: z.boolean().nullish(),
});
const TeamMembers = z.array(TeamMember);

/** Adds a user to a team; has no effect for members. */
export async function addTeamMember(admin: MattermostCaller, teamId: string, userId: string): Promise<void> {
  const add = () =>
    admin.call("POST", path`/teams/${teamId}/members`, TeamMember, { team_id: teamId, user_id: userId });
  try {
    await add();
  } catch (error) {
    // If one user is added twice at the same time, Mattermost fails the second; a retry finds the member.
    if (!isRefusal(error, "app.team.join_user_to_team.save_member.conflict.app_error")) throw error;
    await add();
  }
}

const Members = z.array(ChannelMember);

/** Lists the caller's memberships in a team's channels and in all their direct and group channels. */
export function listOwnMemberships(caller: MattermostCaller, teamId: string): Promise<ChannelMember[]> {
  return caller.call("GET", path`/users/me/teams/${teamId}/channels/members`, Members);
}

/** Reads the caller's membership. @throws CodedError `not_found`, `forbidden` */
export function readOwnMembership(caller: MattermostCaller, channelId: string): Promise<ChannelMember> {
  return caller.call("GET", path`/channels/${channelId}/members/me`, ChannelMember);
}

/** Lists the first `limit` (up to 200) memberships of a channel. */
export function listMembers(
  caller: MattermostCaller,
  channelId: string,
  limit: number,
): Promise<ChannelMember[]> {
  return caller.read(`${path`/channels/${channelId}/members`}?page=0&per_page=${limit}`, Members);
}

const Stats = z.object({ member_count: z.number() });

/** Finds which of these users manage a channel and which manage its team. */
export async function readManagers(
  caller: MattermostCaller,
  { channelId, teamId }: { channelId: string; teamId: string },
  userIds: readonly string[],
): Promise<{ ofChannel: Set<string>; ofTeam: Set<string> }> {
  const [members, teamMembers] = await Promise.all([
    caller.call("POST", path`/channels/${channelId}/members/ids`, Members, userIds),
    caller.call("POST", path`/teams/${teamId}/members/ids`, TeamMembers, userIds),
  ]);
  const managing = (list: readonly { user_id: string; scheme_admin?: boolean | null | undefined }[]) =>
    new Set(list.filter(({ scheme_admin }) => scheme_admin === true).map(({ user_id }) => user_id));
  return { ofChannel: managing(members), ofTeam: managing(teamMembers) };
}

const Counts = z.record(z.string(), z.number());

/** Counts the members of each of these channels; needs the service's token. */
export async function countMembersOfEach(
  admin: MattermostCaller,
  channelIds: readonly string[],
): Promise<Record<string, number>> {
  if (channelIds.length === 0) return {};
  try {
    return await admin.call("POST", "/channels/stats/member_count", Counts, channelIds);
  } catch (error) {
    // Older servers count one channel per call.
    if (!isRefusal(error, "api.context.404.app_error")) throw error;
    const counts = await Promise.all(channelIds.map((id) => countUnlessGone(admin, id)));
    return Object.fromEntries(channelIds.map((id, index) => [id, counts[index] ?? 0]));
  }
}

/**
 * Counts the members of a listed channel. A channel that was deleted since then has none, and Mattermost
 * hides it even from administrators.
 */
function countUnlessGone(admin: MattermostCaller, channelId: string): Promise<number> {
  return countMembers(admin, channelId).catch((error: unknown) => {
    if (isRefusal(error, "api.context.permissions.app_error")) return 0;
    throw error;
  });
}

/** Counts the members of a channel. */
export async function countMembers(caller: MattermostCaller, channelId: string): Promise<number> {
  const stats = await caller.call(
    "GET",
    `${path`/channels/${channelId}/stats`}?exclude_files_count=true`,
    Stats,
  );
  return stats.member_count;
}

/** Adds a user to a channel; has no effect for members. */
export async function addChannelMember(
  caller: MattermostCaller,
  channelId: string,
  userId: string,
): Promise<ChannelMember> {
  const add = () =>
    caller.call("POST", path`/channels/${channelId}/members`, ChannelMember, { user_id: userId });
  try {
    return await add();
  } catch (error) {
    // If one user is added twice at the same time, Mattermost fails the second; a retry finds the member.
    if (!isRefusal(error, "api.channel.add_user.to.channel.failed.app_error")) throw error;
    return add();
  }
}

const Coming = z.looseObject({ user_id: z.string(), props: z.looseObject({}).nullish() });
const Comings = z.object({
  order: z.array(z.string()).nullable(),
  posts: z.record(z.string(), Coming).nullable(),
});

/**
 * Returns whether Mattermost announced in a channel that a user was added, judging by the newest such message
 * among the latest 200 posts.
 */
export async function wasAddedByPost(
  caller: MattermostCaller,
  channelId: string,
  userId: string,
): Promise<boolean> {
  const latest = `${path`/channels/${channelId}/posts`}?per_page=200&skipFetchThreads=true`;
  const { order, posts } = await caller.call("GET", latest, Comings);
  for (const { type, user_id, props } of (order ?? []).flatMap((id) => posts?.[id] ?? [])) {
    if (type === "system_add_to_channel" && props?.addedUserId === userId) return true;
    if (type === "system_remove_from_channel" && props?.removedUserId === userId) return false;
    if ((type === "system_join_channel" || type === "system_leave_channel") && user_id === userId)
      return false;
  }
  return false;
}

/** Removes the caller from a channel. */
export async function leaveChannel(caller: MattermostCaller, channelId: string): Promise<void> {
  await caller.call("DELETE", path`/channels/${channelId}/members/me`, Done);
}

/**
 * A member's notification settings for a channel: `desktop` decides what notifies, `mark_unread` what counts as unread.
 */
type NotifyProps = {
  mark_unread?: "all" | "mention";
  desktop?: "default" | "all" | "mention" | "none";
};

/**
 * Changes the caller's notification settings for a channel; omitted fields stay. @throws CodedError `not_found`,
 * `forbidden`
 */
export async function changeNotifyProps(
  caller: MattermostCaller,
  channelId: string,
  props: NotifyProps,
): Promise<void> {
  await caller.call("PUT", path`/channels/${channelId}/members/me/notify_props`, Done, props);
}
