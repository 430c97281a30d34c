import { z } from "zod";
import { MATTERMOST_ID } from "../mattermost-id.ts";
import { isRefusal } from "./exchange.ts";
import { Done, type MattermostCaller, path, type StreamedAnswer } from "./mattermost.ts";

/** The used fields of a user in Mattermost's format. */
export const User = z.object({
  id: z.string(),
  username: z.string(),
  first_name: z.string().default(""),
  last_name: z.string().default(""),
  nickname: z.string().default(""),
  /** Empty if the server hides the address from the caller. */
  email: z.string().default(""),
  /** The sign-in service, if other than a password. */
  auth_service: z.string().default(""),
  /** 0 if no picture was chosen; Mattermost sends a negative number after a picture was removed. */
  last_picture_update: z
    .number()
    .default(0)
    .transform((at) => Math.max(0, at)),
  delete_at: z.number().default(0),
  is_bot: z.boolean().default(false),
  /** Separated by spaces. */
  roles: z.string().default(""),
});
export type User = z.infer<typeof User>;

const Users = z.array(User);

/** Returns whether the user is a bot or has more rights than ordinary users. */
export function isStaff({ is_bot, roles }: User): boolean {
  return is_bot || roles.split(" ").some((role) => role !== "" && !ordinaryRoles.includes(role));
}

const ordinaryRoles: readonly string[] = ["system_user", "system_guest"];

/** Reads the user of the caller's token. Several callers may share the value, so none may change it. */
export function readOwnUser(caller: MattermostCaller): Promise<User> {
  return caller.readOwn("/users/me", User);
}

const NotifyProps = z.looseObject({
  /** Words that mention the user, separated by commas. */
  mention_keys: z.string().default(""),
  /** "true" if the first name is a mention. */
  first_name: z.string().default(""),
  /** "false" if @channel, @all and @here do not mention the user. */
  channel: z.string().default(""),
  /**
   * "root" if replies in threads that the user began count as mentions, "any" if those in threads with a post
   * of the user do too.
   */
  comments: z.string().default(""),
});

/** Reads the caller, and the words in addition to the username that mention them. */
export function readOwnNames(
  caller: MattermostCaller,
): Promise<User & { notify_props: z.infer<typeof NotifyProps> }> {
  return caller.call("GET", "/users/me", User.extend({ notify_props: NotifyProps.prefault({}) }));
}

/** @throws CodedError `not_found` */
export function readUserByName(caller: MattermostCaller, username: string): Promise<User> {
  return caller.call("GET", path`/users/username/${username}`, User);
}

/** @throws CodedError `not_found` */
export function readUser(caller: MattermostCaller, userId: string): Promise<User> {
  return caller.call("GET", path`/users/${userId}`, User);
}

/** @throws CodedError `not_found` */
export function readUserByEmail(admin: MattermostCaller, email: string): Promise<User> {
  return admin.call("GET", path`/users/email/${email}`, User);
}

/** Lists a page of all users, active or not, by name; `page` counts from 0. */
export function listUsers(admin: MattermostCaller, page: number, perPage: number): Promise<User[]> {
  return admin.call("GET", `/users?page=${page}&per_page=${perPage}`, Users);
}

/** Reads the users with these ids; unknown ids are left out. Several callers may share the list, so none may change it. */
export async function readUsers(caller: MattermostCaller, ids: readonly string[]): Promise<User[]> {
  return ids.length === 0 ? [] : caller.read("/users/ids", Users, ids);
}

const Matches = z.object({ users: Users.nullable() });

/** Finds members of a team whose username, nickname or full name begins with `term`, never by e-mail. */
export async function findTeamUsers(
  caller: MattermostCaller,
  teamId: string,
  term: string,
  limit: number,
): Promise<User[]> {
  const query = new URLSearchParams({ in_team: teamId, name: term, limit: String(limit) });
  const { users } = await caller.call("GET", `/users/autocomplete?${query}`, Matches);
  return users ?? [];
}

/**
 * Lists a page of a channel's active members by name, managers first if the server supports that order; `page` counts
 * from 0.
 */
export async function listChannelUsers(
  caller: MattermostCaller,
  channelId: string,
  page: number,
  perPage: number,
): Promise<User[]> {
  const query = new URLSearchParams({
    in_channel: channelId,
    active: "true",
    page: String(page),
    per_page: String(perPage),
  });
  const list = (order: string) => caller.call("GET", `/users?${query}${order}`, Users);
  try {
    return await list("&sort=admin");
  } catch (error) {
    // Older servers sort by name only.
    if (!isRefusal(error, "api.context.invalid_url_param.app_error")) throw error;
    return list("");
  }
}

/** Finds members of a team's channel whose username, nickname or full name begins with `term`, never by e-mail. */
export async function findChannelUsers(
  caller: MattermostCaller,
  place: { teamId: string; channelId: string },
  term: string,
  limit: number,
): Promise<User[]> {
  const query = new URLSearchParams({
    in_team: place.teamId,
    in_channel: place.channelId,
    name: term,
    limit: String(limit),
  });
  const { users } = await caller.call("GET", `/users/autocomplete?${query}`, Matches);
  return users ?? [];
}

/** Creates a user; needs the service's token. */
export function createUser(
  admin: MattermostCaller,
  user: { username: string; email: string; password: string },
): Promise<User> {
  return admin.call("POST", "/users", User, user);
}

/** Changes a user; omitted fields stay. @throws CodedError `invalid_request` for a name or an address that is taken */
export function changeUser(
  admin: MattermostCaller,
  userId: string,
  changes: { username?: string; email?: string },
): Promise<User> {
  return admin.call("PUT", path`/users/${userId}/patch`, User, changes);
}

/** Sets another user's password; needs the service's token. */
export async function setPassword(admin: MattermostCaller, userId: string, password: string): Promise<void> {
  await admin.call("PUT", path`/users/${userId}/password`, Done, { new_password: password });
}

/** Streams a user's picture; `revision` is the ETag that the caller has. */
export function streamUserImage(
  caller: MattermostCaller,
  userId: string,
  revision: string | undefined,
): Promise<StreamedAnswer> {
  return caller.stream(
    path`/users/${userId}/image`,
    revision === undefined ? {} : { "if-none-match": revision },
  );
}

const AccessToken = z.object({ id: z.string(), description: z.string(), is_active: z.boolean() });
const AccessTokens = z.array(AccessToken);
export type AccessToken = z.infer<typeof AccessToken>;

const NewAccessToken = AccessToken.extend({ token: z.string().regex(MATTERMOST_ID) });

/** Creates a personal access token for a user. Only this answer contains the token itself. */
export function createAccessToken(
  admin: MattermostCaller,
  userId: string,
  description: string,
): Promise<z.infer<typeof NewAccessToken>> {
  return admin.call("POST", path`/users/${userId}/tokens`, NewAccessToken, { description });
}

const PER_PAGE = 200;

/** Lists a user's personal access tokens, without the tokens themselves. */
export async function listAccessTokens(admin: MattermostCaller, userId: string): Promise<AccessToken[]> {
  const listed: AccessToken[] = [];
  for (let page = 0; ; page++) {
    const query = `page=${page}&per_page=${PER_PAGE}`;
    const some = await admin.call("GET", `${path`/users/${userId}/tokens`}?${query}`, AccessTokens);
    listed.push(...some);
    if (some.length < PER_PAGE) return listed;
  }
}

const OwnedToken = AccessToken.extend({ user_id: z.string() });
type OwnedToken = z.infer<typeof OwnedToken>;
const OwnedTokens = z.array(OwnedToken);

/** Lists a page of the personal access tokens of all users; `page` counts from 0. */
export async function listAllAccessTokens(
  admin: MattermostCaller,
  page: number,
): Promise<{ tokens: OwnedToken[]; isLast: boolean }> {
  const query = `page=${page}&per_page=${PER_PAGE}`;
  const tokens = await admin.call("GET", `/users/tokens?${query}`, OwnedTokens);
  return { tokens, isLast: tokens.length < PER_PAGE };
}

/** Revokes a token at once. @throws CodedError `not_found` */
export async function revokeAccessToken(admin: MattermostCaller, tokenId: string): Promise<void> {
  await admin.call("POST", "/users/tokens/revoke", Done, { token_id: tokenId });
}

const Session = z.object({
  id: z.string(),
  props: z.object({ user_access_token_id: z.string().optional() }).nullish(),
});
const Sessions = z.array(Session).nullable();

/** Lists the sessions of a user. The session of a personal access token contains the token's id. */
export async function listSessions(
  caller: MattermostCaller,
  userId: string,
): Promise<z.infer<typeof Session>[]> {
  return (await caller.call("GET", path`/users/${userId}/sessions`, Sessions)) ?? [];
}

/** Ends all sessions of a user. A personal access token gets a new one on its next use. */
export async function endAllSessions(admin: MattermostCaller, userId: string): Promise<void> {
  await admin.call("POST", path`/users/${userId}/sessions/revoke/all`, Done);
}

/** Ends the caller's session. A personal access token gets a new one on its next use. */
export async function endOwnSession(caller: MattermostCaller): Promise<void> {
  await caller.call("POST", "/users/logout", Done);
}
