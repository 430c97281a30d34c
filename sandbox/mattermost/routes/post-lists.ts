import { z } from "zod";
import { type Context, callerId, param, queryFlag, queryNumber, readBody, readPage } from "../context.ts";
import { refuse } from "../errors.ts";
import { isId } from "../id.ts";
import { type ChannelRow, findChannel } from "../model/channels.ts";
import {
  findNeighbour,
  findPost,
  listPinned,
  listPosts,
  listPostsSince,
  listReplies,
  type PostFilter,
  type PostRow,
} from "../model/posts.ts";
import { searchPosts } from "../operations/search-posts.ts";
import { canReadPosts, demandInTeam, demandPermission, isSystemAdmin } from "../permissions.ts";
import { cacheable, requireReadablePost, withHeaders } from "../require.ts";
import { type Route, route } from "../router.ts";
import { type Collapsed, renderPostList } from "../serializers/post.ts";

const MAX_LIMIT = 200;

/**
 * Returns the channel to read posts from. v11 looks for it before checking the permission. @throws ApiError
 * 404 or 403
 */
function requireReadableChannel(context: Context): ChannelRow {
  const { mattermost } = context;
  const channel = findChannel(mattermost.db, param(context, "channel_id"));
  if (!channel && mattermost.isV11) refuse("app.channel.get.existing.app_error");
  if (!channel || !canReadPosts(mattermost, callerId(context), channel))
    refuse("api.context.permissions.app_error");
  return channel;
}

function readCollapsed(context: Context): Collapsed | undefined {
  if (!queryFlag(context, "collapsedThreads")) return undefined;
  // Only a list of the posts after a given one ignores the flag.
  const isExtended = queryFlag(context, "collapsedThreadsExtended") && !context.query.has("after");
  return { viewerId: callerId(context), isExtended };
}

function readFilter(context: Context): PostFilter {
  const isAdmin = isSystemAdmin(context.mattermost.db, callerId(context));
  return {
    isRootOnly: queryFlag(context, "collapsedThreads"),
    includeDeleted: queryFlag(context, "include_deleted") && isAdmin,
  };
}

/**
 * Returns the time of the post that a list starts from. With a post of another channel, or a missing one, the
 * list is empty.
 */
function timeOf(context: Context, name: string, channel: ChannelRow): number | null | undefined {
  const id = context.query.get(name);
  if (!id) return undefined;
  const post = findPost(context.mattermost.db, id);
  return post?.channel_id === channel.id ? post.create_at : null;
}

/** Returns the other replies in the threads of listed replies, unless the request leaves them out. */
function threadsOf(context: Context, rows: readonly PostRow[]): PostRow[] {
  if (queryFlag(context, "skipFetchThreads") || queryFlag(context, "collapsedThreads")) return [];
  const listed = new Set(rows.map((row) => row.id));
  const roots = new Set(rows.map((row) => row.root_id).filter((id) => id !== ""));
  return [...roots]
    .flatMap((id) => listReplies(context.mattermost.db, id))
    .filter((row) => !listed.has(row.id));
}

type Edges = { next?: string; prev?: string };

/**
 * Renders a list of posts. To a client that receives whole threads, only lists that start from a post report
 * reply counts.
 */
function render(context: Context, rows: PostRow[], isFromPost: boolean, edges: Edges = {}): unknown {
  const collapsed = readCollapsed(context);
  const tellsReplies = isFromPost || collapsed !== undefined || queryFlag(context, "skipFetchThreads");
  return cacheable(
    renderPostList(context.mattermost, rows, {
      ...edges,
      beside: threadsOf(context, rows),
      collapsed,
      countsReplies: () => tellsReplies,
      withRoots: true,
    }),
  );
}

/** Checks the parameters, before any permission. @throws ApiError 400 */
function checkSpan({ query }: Context): void {
  for (const name of ["before", "after"]) {
    const id = query.get(name);
    if (id && !isId(id)) refuse("api.context.invalid_body_param.app_error", name);
  }
  if (!/^\d*$/.test(query.get("since") ?? "")) refuse("api.context.invalid_body_param.app_error", "since");
}

function getPosts(context: Context): unknown {
  const { db } = context.mattermost;
  checkSpan(context);
  const wantsDeleted = queryFlag(context, "include_deleted");
  if (wantsDeleted && context.mattermost.isV11) demandPermission(context, "manage_system");
  const channel = requireReadableChannel(context);
  const filter = readFilter(context);
  const since = queryNumber(context, "since", 0);
  if (since > 0) return render(context, listPostsSince(db, channel.id, since, filter.isRootOnly), false);
  const page = readPage(context);
  const after = timeOf(context, "after", channel);
  const before = after === undefined ? timeOf(context, "before", channel) : undefined;
  if (after === null || before === null) return render(context, [], true);
  const span = { ...(after !== undefined && { after }), ...(before !== undefined && { before }) };
  const rows = listPosts(db, channel.id, filter, span, page);
  const edge = (direction: "newer" | "older", row: PostRow | undefined) =>
    row ? findNeighbour(db, channel.id, filter, direction, row.create_at) : "";
  const isFirstPage = page.offset === 0;
  const nextOfNewest = edge("newer", rows[0]);
  const prevOfOldest = edge("older", rows.at(-1));
  return render(context, rows, after !== undefined || before !== undefined, {
    next: isFirstPage && before !== undefined ? (context.query.get("before") ?? "") : nextOfNewest,
    prev: isFirstPage && after !== undefined ? (context.query.get("after") ?? "") : prevOfOldest,
  });
}

/** Answers with the requested post and a page of its thread; if threads are collapsed, of its replies. */
function getThread(context: Context): unknown {
  const { mattermost } = context;
  const asked = requireReadablePost(context, param(context, "post_id"));
  const collapsed = readCollapsed(context);
  const repliesTo = (id: string) => listReplies(mattermost.db, id).reverse();
  const thread = () => {
    const root = asked.root_id ? findPost(mattermost.db, asked.root_id) : asked;
    // Without a direction the order is the table's, in which a root with replies moves to the end.
    return [...repliesTo(asked.root_id || asked.id), ...(root ? [root] : [])];
  };
  const isAlone = !collapsed && queryFlag(context, "skipFetchThreads");
  const rows = isAlone ? [] : collapsed ? repliesTo(asked.id) : thread();
  const { page, isCut } = readThreadPage(context, rows);
  // In 7.0 the requested post comes first, and appears again at its place.
  const others = page.filter((row) => row.id !== asked.id);
  return cacheable(
    renderPostList(mattermost, [asked, ...others], {
      order: [asked, ...(mattermost.isV11 ? others : page)].map((row) => row.id),
      hasNext: isCut,
      collapsed,
      countsReplies: (row) => !collapsed || row.root_id === "",
    }),
  );
}

function readThreadPage(context: Context, rows: readonly PostRow[]): { page: PostRow[]; isCut: boolean } {
  const direction = context.query.get("direction");
  const limit = Math.min(queryNumber(context, "perPage", 0), MAX_LIMIT) || rows.length;
  const fromTime = queryNumber(context, "fromCreateAt", 0);
  const fromUpdate = queryNumber(context, "fromUpdateAt", 0);
  const isWanted = (row: PostRow) => {
    if (fromUpdate > 0 && row.update_at <= fromUpdate) return false;
    return fromTime === 0 || (direction === "down" ? row.create_at > fromTime : row.create_at < fromTime);
  };
  const sign = direction === "down" ? 1 : direction === "up" ? -1 : 0;
  const ordered = rows.filter(isWanted).sort((a, b) => sign * (a.create_at - b.create_at));
  return { page: ordered.slice(0, limit), isCut: ordered.length > limit };
}

function getPinned(context: Context): unknown {
  const channel = requireReadableChannel(context);
  return cacheable(renderPostList(context.mattermost, listPinned(context.mattermost.db, channel.id)));
}

export const postListRoutes: Route[] = [
  route("GET", "/channels/{channel_id}/posts", getPosts),
  route("GET", "/channels/{channel_id}/pinned", getPinned),
  route("GET", "/posts/{post_id}/thread", getThread),
];

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
  const rows = searchPosts(context.mattermost, {
    userId: callerId(context),
    teamId,
    terms: body.terms,
    isAnyWordEnough: body.is_or_search ?? false,
    timeZoneOffsetSeconds: body.time_zone_offset ?? 0,
    areArchivedIncluded: body.include_deleted_channels ?? false,
    page: body.page ?? 0,
  });
  const list = { ...renderPostList(context.mattermost, rows), matches: null };
  return withHeaders(list, { "Cache-Control": "no-cache, no-store, must-revalidate" });
}

function postTeamSearch(context: Context): unknown {
  demandInTeam(context, param(context, "team_id"), "view_team");
  return search(context, param(context, "team_id"));
}

export const postSearchRoutes: Route[] = [route("POST", "/teams/{team_id}/posts/search", postTeamSearch)];
