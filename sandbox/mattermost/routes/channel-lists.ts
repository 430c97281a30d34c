import { z } from "zod";
import {
  type Context,
  callerId,
  type Mattermost,
  param,
  queryFlag,
  queryNumber,
  readBody,
  readPage,
} from "../context.ts";
import { refuse } from "../errors.ts";
import { type ChannelRow, listChannelsOf, listTeamChannels, searchChannels } from "../model/channels.ts";
import { findTeam } from "../model/teams.ts";
import { canInTeam, demandInTeam, demandPermission, demandSelf } from "../permissions.ts";
import { cacheable } from "../require.ts";
import { type Route, route } from "../router.ts";
import { channelObject } from "../serializers/channel.ts";

const SEARCH_LIMIT = 100;

const Term = z.object({ term: z.string() });
const ChannelSearch = z.object({
  term: z.string(),
  team_ids: z.array(z.string()).nullish(),
  public: z.boolean().optional(),
  private: z.boolean().optional(),
  include_deleted: z.boolean().optional(),
  deleted: z.boolean().optional(),
  page: z.number().int().min(0).nullish(),
  per_page: z.number().int().min(0).nullish(),
});

function render(context: Context, channels: readonly ChannelRow[]): unknown[] {
  return channels.map((channel) => channelObject(context.mattermost, channel));
}

function listOwn(context: Context, teamId: string | null): unknown {
  const channels = listChannelsOf(context.mattermost.db, param(context, "user_id"), teamId, {
    includeDeleted: queryFlag(context, "include_deleted"),
    lastDeleteAt: queryNumber(context, "last_delete_at", 0),
  });
  if (channels.length === 0) refuse("app.channel.get_channels.not_found.app_error");
  return cacheable(render(context, channels));
}

function getOfTeam(context: Context): unknown {
  demandSelf(context, param(context, "user_id"));
  demandInTeam(context, param(context, "team_id"), "view_team");
  return listOwn(context, param(context, "team_id"));
}

function getPublic(context: Context): unknown {
  const teamId = param(context, "team_id");
  demandInTeam(context, teamId, "list_team_channels");
  return render(context, listTeamChannels(context.mattermost.db, teamId, "O", readPage(context)));
}

type ChannelSearch = Parameters<typeof searchChannels>[1];
type Search = Omit<ChannelSearch, "teamIds" | "archived"> & Partial<Pick<ChannelSearch, "archived">>;

function search(mattermost: Mattermost, teamId: string, options: Search, limit: number): ChannelRow[] {
  return searchChannels(
    mattermost.db,
    { archived: "never", ...options, teamIds: [teamId] },
    { limit, offset: 0 },
  );
}

function postTeamSearch(context: Context): unknown {
  const teamId = param(context, "team_id");
  const { term } = readBody(context, Term, "channel_search");
  // To callers outside the team the server reports a missing user, not a missing permission.
  if (!canInTeam(context.mattermost.db, callerId(context), teamId, "list_team_channels"))
    refuse("app.team.get_member.missing.app_error");
  const options = { term, types: ["O"], isPurposeSearched: true };
  // The search includes archived channels.
  const found = search(context.mattermost, teamId, { ...options, archived: "also" }, SEARCH_LIMIT);
  return render(context, found);
}

/** Returns the types in a search of all teams: both, unless one is requested. */
function typesOf(body: z.infer<typeof ChannelSearch>): string[] {
  if (body.public === body.private) return ["O", "P"];
  return body.public ? ["O"] : ["P"];
}

function archivedOf(context: Context, body: z.infer<typeof ChannelSearch>): "never" | "also" | "only" {
  if (body.deleted) return "only";
  return body.include_deleted || queryFlag(context, "include_deleted") ? "also" : "never";
}

function postSearch(context: Context): unknown {
  const { db } = context.mattermost;
  const body = readBody(context, ChannelSearch, "channel_search");
  const isForUser = context.query.get("system_console") === "false";
  if (!isForUser) demandPermission(context, "manage_system");
  const options = {
    term: body.term,
    teamIds: body.team_ids ?? [],
    types: typesOf(body),
    archived: archivedOf(context, body),
    isPurposeSearched: true,
    ...(isForUser && { userId: callerId(context) }),
  };
  const withTeam = (channel: ChannelRow) => {
    const team = findTeam(db, channel.team_id);
    return {
      ...channelObject(context.mattermost, channel),
      team_display_name: team?.display_name ?? "",
      team_name: team?.name ?? "",
      team_update_at: team?.update_at ?? 0,
    };
  };
  const isPaged = typeof body.page === "number" && typeof body.per_page === "number";
  if (!isPaged) return searchChannels(db, options, { limit: SEARCH_LIMIT, offset: 0 }).map(withTeam);
  const all = searchChannels(db, options, { limit: -1, offset: 0 });
  const start = (body.page ?? 0) * (body.per_page ?? 0);
  const page = all.slice(start, start + (body.per_page ?? 0));
  return { channels: page.map(withTeam), total_count: all.length };
}

export const channelListRoutes: Route[] = [
  route("GET", "/users/{user_id}/teams/{team_id}/channels", getOfTeam),
  route("GET", "/teams/{team_id}/channels", getPublic),
  route("POST", "/teams/{team_id}/channels/search", postTeamSearch),
  route("POST", "/channels/search", postSearch),
];
