import { z } from "zod";
import { type Context, callerId, param, readBody, readPage } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import {
  type AccessTokenRow,
  deleteAccessToken,
  deleteSession,
  deleteSessionByToken,
  deleteSessionsOf,
  findAccessToken,
  findUser,
  findUserByEmail,
  findUserByUsername,
  insertSession,
  listAccessTokens,
  listAccessTokensOf,
  listSessions,
} from "../model/users.ts";
import { createAccessToken, isPassword } from "../operations/authenticate.ts";
import { demandPermission, demandSelf, isSystemAdmin } from "../permissions.ts";
import { ok, withHeaders } from "../require.ts";
import { asynchronously, publicly, type Route, route } from "../router.ts";
import { accessTokenObject, sessionObject, userObject } from "../serializers/channel.ts";

const SESSION_SECONDS = 30 * 24 * 60 * 60;
const Login = z.object({ login_id: z.string(), password: z.string(), device_id: z.string().optional() });

async function postLogin(context: Context): Promise<unknown> {
  const { mattermost } = context;
  const body = readBody(context, Login, "login_id");
  if (body.password === "") refuse("api.user.login.blank_pwd.app_error");
  const user =
    findUserByUsername(mattermost.db, body.login_id) ?? findUserByEmail(mattermost.db, body.login_id);
  const isKnown = user !== undefined && (await isPassword(body.password, user.password_hash));
  if (!isKnown) refuse("api.user.login.invalid_credentials_email_username");
  if (user.delete_at > 0) refuse("api.user.login.inactive.app_error");
  const now = mattermost.clock.now();
  const csrf = makeId();
  const session = insertSession(mattermost.db, {
    token: makeId(),
    user_id: user.id,
    create_at: now,
    expires_at: now + SESSION_SECONDS * 1000,
    device_id: body.device_id ?? "",
    roles: user.roles,
    props: JSON.stringify({ csrf }),
  });
  const isBrowser = context.headers["x-requested-with"] === "XMLHttpRequest";
  const tail = `Path=/; Max-Age=${SESSION_SECONDS}`;
  const cookies = [
    `MMAUTHTOKEN=${session.token}; ${tail}; HttpOnly`,
    `MMUSERID=${user.id}; ${tail}`,
    `MMCSRF=${csrf}; ${tail}`,
  ];
  return withHeaders(userObject(user, true), {
    Token: session.token,
    ...(isBrowser && { "Set-Cookie": cookies }),
  });
}

function postLogout(context: Context): unknown {
  if (context.session) deleteSession(context.mattermost.db, context.session.id);
  const gone = ["MMAUTHTOKEN", "MMUSERID", "MMCSRF"].map((name) => `${name}=; Path=/; Max-Age=0`);
  return withHeaders(ok, { "Set-Cookie": gone });
}

function getSessions(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  return listSessions(context.mattermost.db, userId).map(sessionObject);
}

function postRevokeAll(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  deleteSessionsOf(context.mattermost.db, userId);
  return ok;
}

export const loginRoutes: Route[] = [
  route("POST", "/users/login", postLogin, { ...publicly, ...asynchronously }),
  route("POST", "/users/logout", postLogout, publicly),
  route("GET", "/users/{user_id}/sessions", getSessions),
  route("POST", "/users/{user_id}/sessions/revoke/all", postRevokeAll),
];

const Description = z.object({ description: z.string().min(1).max(255) });
const TokenId = z.object({ token_id: z.string().min(1) });

function postToken(context: Context): unknown {
  const { mattermost } = context;
  const userId = param(context, "user_id");
  const { description } = readBody(context, Description, "description");
  demandPermission(context, "create_user_access_token");
  demandSelf(context, userId);
  if (!mattermost.settings.enableUserAccessTokens) refuse("app.user_access_token.disabled");
  if (!findUser(mattermost.db, userId)) refuse("app.user.missing_account.const");
  if (isSystemAdmin(mattermost.db, userId)) demand(isSystemAdmin(mattermost.db, callerId(context)));
  const row = createAccessToken(mattermost, userId, description);
  const { id, ...rest } = accessTokenObject(row);
  return { id, token: row.token, ...rest };
}

function getTokensOf(context: Context): unknown {
  const userId = param(context, "user_id");
  demandPermission(context, "read_user_access_token");
  demandSelf(context, userId);
  return listAccessTokensOf(context.mattermost.db, userId, readPage(context)).map(accessTokenObject);
}

function getTokens(context: Context): unknown {
  demandPermission(context, "manage_system");
  return listAccessTokens(context.mattermost.db, readPage(context)).map(accessTokenObject);
}

function requireToken(context: Context, id: string): AccessTokenRow {
  return findAccessToken(context.mattermost.db, id) ?? refuse("app.user_access_token.get_by_user.app_error");
}

function readToken(
  context: Context,
  permission: "create_user_access_token" | "revoke_user_access_token",
): AccessTokenRow {
  const { token_id } = readBody(context, TokenId, "token_id");
  demandPermission(context, permission);
  const row = requireToken(context, token_id);
  demandSelf(context, row.user_id);
  return row;
}

function postRevokeToken(context: Context): unknown {
  const row = readToken(context, "revoke_user_access_token");
  deleteAccessToken(context.mattermost.db, row.id);
  deleteSessionByToken(context.mattermost.db, row.token);
  return ok;
}

export const accessTokenRoutes: Route[] = [
  route("POST", "/users/{user_id}/tokens", postToken),
  route("GET", "/users/{user_id}/tokens", getTokensOf),
  route("GET", "/users/tokens", getTokens),
  route("POST", "/users/tokens/revoke", postRevokeToken),
];
