import { z } from "zod";
import {
  type Context,
  callerId,
  param,
  queryFlag,
  queryNumber,
  readBody,
  readPage,
  readStrings,
} from "../context.ts";
import { refuse } from "../errors.ts";
import { isId } from "../id.ts";
import { findTeamByInvite } from "../model/teams.ts";
import {
  countActiveUsers,
  countUsers,
  findUser,
  findUserByEmail,
  findUserByUsername,
  listUsers,
  listUsersByIds,
  listUsersByUsernames,
  type UserFilter,
  type UserRow,
} from "../model/users.ts";
import { checkPassword, createUser, hashPassword, isReservedName } from "../operations/authenticate.ts";
import { joinTeam } from "../operations/teams.ts";
import { demandInTeam, isSystemAdmin, requireChannelWith } from "../permissions.ts";
import { cacheable, created } from "../require.ts";
import { asynchronously, publicly, type Route, route } from "../router.ts";
import { userObject } from "../serializers/channel.ts";

const MAX_WORDS = 20;
const Strings = z.record(z.string(), z.string());
const NewUser = z.object({
  email: z.string(),
  username: z.string(),
  password: z.string(),
  nickname: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  position: z.string().optional(),
  locale: z.string().optional(),
  props: Strings.nullish(),
  notify_props: Strings.nullish(),
  timezone: Strings.nullish(),
});

async function postUser(context: Context): Promise<unknown> {
  const { mattermost, query } = context;
  const body = readBody(context, NewUser, "user");
  checkPassword(mattermost, body.password);
  const passwordHash = await hashPassword(body.password);
  return mattermost.transact(() => {
    const inviteId = query.get("iid") ?? "";
    const team = inviteId ? findTeamByInvite(mattermost.db, inviteId) : undefined;
    if (inviteId && !team) refuse("api.user.create_user.signup_link_invalid.app_error");
    const isOpen =
      mattermost.settings.enableOpenServer || countUsers(mattermost.db) === 0 || team !== undefined;
    if (!isOpen && !isSystemAdmin(mattermost.db, callerId(context)))
      refuse("api.user.create_user.no_open_server");
    const { props, notify_props, timezone, ...rest } = body;
    const user = createUser(mattermost, {
      ...rest,
      passwordHash,
      props: props ?? undefined,
      notify_props: notify_props ?? undefined,
      timezone: timezone ?? undefined,
    });
    if (team) joinTeam(mattermost, team, user);
    return created(userObject(user, true));
  });
}

function show(context: Context, user: UserRow): unknown {
  const isOwn = user.id === callerId(context);
  return cacheable(userObject(user, isOwn, isOwn || seesAddresses(context)));
}

const seesAddresses = (context: Context) =>
  context.mattermost.settings.showEmailAddress || isSystemAdmin(context.mattermost.db, callerId(context));

function getUser(context: Context): unknown {
  return show(
    context,
    findUser(context.mattermost.db, param(context, "user_id")) ?? refuse("app.user.missing_account.const"),
  );
}

function getByUsername(context: Context): unknown {
  const username = param(context, "username");
  if (isReservedName(username)) refuse("api.context.invalid_body_param.app_error", "username");
  const user = findUserByUsername(context.mattermost.db, username);
  return show(context, user ?? refuse("app.user.get_by_username.app_error"));
}

function getByEmail(context: Context): unknown {
  const user = findUserByEmail(context.mattermost.db, param(context, "email"));
  return show(context, user ?? refuse("app.user.missing_account.const"));
}

/** Renders listed users, the caller like any other. */
function listed(context: Context, users: readonly UserRow[]): unknown[] {
  const showsEmail = seesAddresses(context);
  return users.map((user) => userObject(user, false, showsEmail));
}

function postIds(context: Context): unknown {
  const ids = readStrings(context, "user_ids");
  return listed(context, listUsersByIds(context.mattermost.db, ids, queryNumber(context, "since", 0)));
}

function postUsernames(context: Context): unknown {
  return listed(context, listUsersByUsernames(context.mattermost.db, readStrings(context, "usernames")));
}

/** Checks that the caller may see the given teams and channels. @throws ApiError */
function demandPlaces(
  context: Context,
  teamIds: (string | undefined)[],
  channelIds: (string | undefined)[],
): void {
  for (const id of teamIds) {
    if (!id) continue;
    if (!isId(id)) refuse("api.context.invalid_url_param.app_error", "team_id");
    demandInTeam(context, id, "view_team");
  }
  for (const id of channelIds) {
    if (!id) continue;
    if (!isId(id)) refuse("api.context.invalid_url_param.app_error", "channel_id");
    requireChannelWith(context, id, "read_channel");
  }
}

function getUsers(context: Context): unknown {
  const named = (name: string) => context.query.get(name) || undefined;
  const inTeam = named("in_team");
  const notInTeam = named("not_in_team");
  const inChannel = named("in_channel");
  const notInChannel = named("not_in_channel");
  demandPlaces(context, [inTeam, notInTeam], [inChannel, notInChannel]);
  const isActive = queryFlag(context, "active") ? true : queryFlag(context, "inactive") ? false : undefined;
  const filter: UserFilter = {
    ...(inTeam && { inTeam }),
    ...(notInTeam && { notInTeam }),
    ...(inChannel && { inChannel }),
    ...(notInChannel && { notInChannel }),
    ...(isActive !== undefined && { isActive }),
    ...(queryFlag(context, "without_team") && { withoutTeam: true }),
  };
  const sort = context.query.get("sort") ?? "";
  const isKnown = sort !== "admin" || (context.mattermost.isV11 && inChannel);
  if (!isKnown) refuse("api.context.invalid_url_param.app_error", "sort");
  const order = sort === "create_at" || sort === "admin" ? sort : "username";
  return cacheable(listed(context, listUsers(context.mattermost.db, filter, readPage(context), order)));
}

/** Returns the words of a search, without the leading `@` of a name. */
function words(term: string): string[] {
  return term
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^@/, ""))
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
}

function getAutocomplete(context: Context): unknown {
  const { db } = context.mattermost;
  const inTeam = context.query.get("in_team") || undefined;
  const inChannel = context.query.get("in_channel") || undefined;
  if (inChannel && !inTeam) refuse("api.user.autocomplete_users.missing_team_id.app_error");
  demandPlaces(context, [inTeam], [inChannel]);
  const filter: UserFilter = { terms: words(context.query.get("name") ?? ""), isActive: true };
  const page = { limit: Math.min(queryNumber(context, "limit", 100), 1000), offset: 0 };
  if (!inChannel) {
    return { users: listed(context, listUsers(db, { ...filter, ...(inTeam && { inTeam }) }, page)) };
  }
  const members = listUsers(db, { ...filter, inChannel }, page);
  const others = listUsers(db, { ...filter, ...(inTeam && { inTeam }), notInChannel: inChannel }, page);
  return {
    users: listed(context, members),
    ...(others.length > 0 && { out_of_channel: listed(context, others) }),
  };
}

function getStats(context: Context): unknown {
  return { total_users_count: countActiveUsers(context.mattermost.db) };
}

export const userRoutes: Route[] = [
  route("POST", "/users", postUser, { ...publicly, ...asynchronously }),
  route("GET", "/users", getUsers),
  route("GET", "/users/{user_id}", getUser),
  route("GET", "/users/username/{username}", getByUsername),
  route("GET", "/users/email/{email}", getByEmail),
  route("POST", "/users/ids", postIds),
  route("POST", "/users/usernames", postUsernames),
  route("GET", "/users/autocomplete", getAutocomplete),
  route("GET", "/users/stats", getStats),
];
