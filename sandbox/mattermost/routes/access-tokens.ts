import { z } from "zod";
import { type Context, callerId, param, readBody, readPage } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import {
  type AccessTokenRow,
  deleteAccessToken,
  deleteSessionByToken,
  findAccessToken,
  listAccessTokens,
  listAccessTokensOf,
  searchAccessTokens,
  setAccessTokenActive,
} from "../model/sessions.ts";
import { findUser } from "../model/users.ts";
import { createAccessToken } from "../operations/authenticate.ts";
import { demandPermission, demandSelf, isSystemAdmin } from "../permissions.ts";
import { ok } from "../require.ts";
import { type Route, route } from "../router.ts";
import { accessTokenObject } from "../serializers/user.ts";

const Description = z.object({ description: z.string().min(1).max(255) });
const TokenId = z.object({ token_id: z.string().min(1) });
const Term = z.object({ term: z.string().min(1) });

function postToken(context: Context): unknown {
  const { backend } = context;
  const userId = param(context, "user_id");
  const { description } = readBody(context, Description, "description");
  demandPermission(context, "create_user_access_token");
  demandSelf(context, userId);
  if (!backend.settings.enableUserAccessTokens) refuse("app.user_access_token.disabled");
  if (!findUser(backend.db, userId)) refuse("app.user.missing_account.const");
  if (isSystemAdmin(backend.db, userId)) demand(isSystemAdmin(backend.db, callerId(context)));
  const row = createAccessToken(backend, userId, description);
  const { id, ...rest } = accessTokenObject(row);
  return { id, token: row.token, ...rest };
}

function getTokensOf(context: Context): unknown {
  const userId = param(context, "user_id");
  demandPermission(context, "read_user_access_token");
  demandSelf(context, userId);
  return listAccessTokensOf(context.backend.db, userId, readPage(context)).map(accessTokenObject);
}

function getTokens(context: Context): unknown {
  demandPermission(context, "manage_system");
  return listAccessTokens(context.backend.db, readPage(context)).map(accessTokenObject);
}

function needToken(context: Context, id: string): AccessTokenRow {
  return findAccessToken(context.backend.db, id) ?? refuse("app.user_access_token.get_by_user.app_error");
}

function getToken(context: Context): unknown {
  demandPermission(context, "read_user_access_token");
  const row = needToken(context, param(context, "token_id"));
  demandSelf(context, row.user_id);
  return accessTokenObject(row);
}

function postSearch(context: Context): unknown {
  demandPermission(context, "manage_system");
  const { term } = readBody(context, Term, "term");
  return searchAccessTokens(context.backend.db, term.toLowerCase()).map(accessTokenObject);
}

function readToken(
  context: Context,
  permission: "create_user_access_token" | "revoke_user_access_token",
): AccessTokenRow {
  const { token_id } = readBody(context, TokenId, "token_id");
  demandPermission(context, permission);
  const row = needToken(context, token_id);
  demandSelf(context, row.user_id);
  return row;
}

function postRevoke(context: Context): unknown {
  const row = readToken(context, "revoke_user_access_token");
  deleteAccessToken(context.backend.db, row.id);
  deleteSessionByToken(context.backend.db, row.token);
  return ok;
}

function postDisable(context: Context): unknown {
  const row = readToken(context, "revoke_user_access_token");
  setAccessTokenActive(context.backend.db, row.id, false);
  deleteSessionByToken(context.backend.db, row.token);
  return ok;
}

function postEnable(context: Context): unknown {
  const row = readToken(context, "create_user_access_token");
  setAccessTokenActive(context.backend.db, row.id, true);
  return ok;
}

export const accessTokenRoutes: Route[] = [
  route("POST", "/users/{user_id}/tokens", postToken),
  route("GET", "/users/{user_id}/tokens", getTokensOf),
  route("GET", "/users/tokens", getTokens),
  route("GET", "/users/tokens/{token_id}", getToken),
  route("POST", "/users/tokens/search", postSearch),
  route("POST", "/users/tokens/revoke", postRevoke),
  route("POST", "/users/tokens/disable", postDisable),
  route("POST", "/users/tokens/enable", postEnable),
];
