import { z } from "zod";
import { type Context, callerId, param, readBody } from "../context.ts";
import { refuse } from "../errors.ts";
import { searchPosts } from "../operations/search-posts.ts";
import { demandInTeam } from "../permissions.ts";
import { withHeaders } from "../reply.ts";
import { type Route, route } from "../router.ts";
import { renderPostList } from "../serializers/post.ts";

const Search = z.object({
  terms: z.string(),
  is_or_search: z.boolean().optional(),
  time_zone_offset: z.number().int().min(-86_400).max(86_400).optional(),
  include_deleted_channels: z.boolean().optional(),
  page: z.number().int().min(0).optional(),
  per_page: z.number().int().min(0).optional(),
});

function search(context: Context, teamId: string): unknown {
  const body = readBody(context, Search, "terms");
  if (body.terms.trim() === "") refuse("api.context.invalid_body_param.app_error", "terms");
  const rows = searchPosts(context.backend, {
    userId: callerId(context),
    teamId,
    terms: body.terms,
    isAnyWordEnough: body.is_or_search ?? false,
    timeZoneOffsetSeconds: body.time_zone_offset ?? 0,
    areArchivedIncluded: body.include_deleted_channels ?? false,
    page: body.page ?? 0,
  });
  const list = { ...renderPostList(context.backend, rows), matches: null };
  return withHeaders(list, { "Cache-Control": "no-cache, no-store, must-revalidate" });
}

function postTeamSearch(context: Context): unknown {
  demandInTeam(context, param(context, "team_id"), "view_team");
  return search(context, param(context, "team_id"));
}

export const postSearchRoutes: Route[] = [
  route("POST", "/teams/{team_id}/posts/search", postTeamSearch),
  route("POST", "/posts/search", (context) => search(context, "")),
];
