import type { Member, Members } from "../../contract/answers.ts";
import { type Channel, readChannel, readManagers } from "../../mattermost/channels.ts";
import { findChannelUsers, listChannelUsers, type User } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { type ChannelBasics, rememberChannels, rememberUsers } from "../caller/caches.ts";
import type { CallerContext } from "../caller/caller-context.ts";
import { projectUser } from "../people/search-users.ts";

type Wanted = { q: string; page: number; perPage: number };

/** Maximum number of results of a member search, which has no pages. */
const MOST_FOUND = 200;

/**
 * Returns a page of a channel's members with their roles, managers first; with a term, only members whose
 * name begins with it. Makes up to four Mattermost calls, and one more for a server that does not support
 * that order.
 * @throws CodedError `forbidden` for non-members
 */
export async function listMembers(
  context: CallerContext,
  channelId: string,
  wanted: Wanted,
): Promise<Members> {
  const { caller, chat } = context;
  const channel = await readBasics(context, channelId);
  // A conversation belongs to no team.
  const teamId = channel.team_id || chat.teamId;
  const { users, hasMore } = await readPage(context, channelId, wanted);
  rememberUsers(chat.caches, users);
  const ids = users.map(({ id }) => id);
  const managers =
    ids.length > 0
      ? await readManagers(caller, { channelId, teamId }, ids)
      : { ofChannel: new Set<string>(), ofTeam: new Set<string>() };
  return {
    members: users.map((user) => ({
      user: projectUser(user),
      roles: [
        ...(managers.ofChannel.has(user.id) ? (["channel_admin"] as const) : []),
        ...(managers.ofTeam.has(user.id) ? (["team_admin"] as const) : []),
        ...rolesOnServer(user),
      ],
    })),
    hasMore,
  };
}

function rolesOnServer({ roles }: User): Member["roles"] {
  const names = new Set(roles.split(" "));
  return [
    ...(names.has("system_admin") ? (["system_admin"] as const) : []),
    ...(names.has("system_guest") ? (["guest"] as const) : []),
  ];
}

async function readBasics(
  { caller, chat }: CallerContext,
  channelId: string,
): Promise<ChannelBasics | Channel> {
  const known = chat.caches.channels.get(channelId);
  if (known) return known;
  const channel = await readChannel(caller, channelId);
  rememberChannels(chat.caches, [channel]);
  return channel;
}

async function readPage(
  { caller, chat }: CallerContext,
  channelId: string,
  { q, page, perPage }: Wanted,
): Promise<{ users: User[]; hasMore: boolean }> {
  const term = q.trim().replace(/^@/, "");
  if (term !== "") {
    const place = { teamId: chat.teamId, channelId };
    const found = await findChannelUsers(caller, place, term, MOST_FOUND);
    if (found.length === 0) await believeEmpty(chat);
    const start = page * perPage;
    return { users: found.slice(start, start + perPage), hasMore: found.length > start + perPage };
  }
  const users = await listChannelUsers(caller, channelId, page, perPage);
  return { users, hasMore: users.length === perPage };
}
