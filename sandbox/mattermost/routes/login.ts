import { z } from "zod";
import { type Context, callerId, param, readBody } from "../context.ts";
import { refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import {
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  listSessions,
} from "../model/sessions.ts";
import { findUserByEmail, findUserByUsername } from "../model/users.ts";
import { isPassword } from "../operations/authenticate.ts";
import { demandSelf } from "../permissions.ts";
import { ok, withHeaders } from "../require.ts";
import { asynchronously, publicly, type Route, route } from "../router.ts";
import { sessionObject, userObject } from "../serializers/user.ts";

const SESSION_SECONDS = 30 * 24 * 60 * 60;
const Login = z.object({ login_id: z.string(), password: z.string(), device_id: z.string().optional() });

async function postLogin(context: Context): Promise<unknown> {
  const { backend } = context;
  const body = readBody(context, Login, "login_id");
  if (body.password === "") refuse("api.user.login.blank_pwd.app_error");
  const user = findUserByUsername(backend.db, body.login_id) ?? findUserByEmail(backend.db, body.login_id);
  const isKnown = user !== undefined && (await isPassword(body.password, user.password_hash));
  if (!isKnown) refuse("api.user.login.invalid_credentials_email_username");
  if (user.delete_at > 0) refuse("api.user.login.inactive.app_error");
  const now = backend.clock.now();
  const csrf = makeId();
  const session = insertSession(backend.db, {
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
  if (context.session) deleteSession(context.backend.db, context.session.id);
  const gone = ["MMAUTHTOKEN", "MMUSERID", "MMCSRF"].map((name) => `${name}=; Path=/; Max-Age=0`);
  return withHeaders(ok, { "Set-Cookie": gone });
}

function getSessions(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  return listSessions(context.backend.db, userId).map(sessionObject);
}

function postRevoke(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  const body = readBody(context, z.object({ session_id: z.string() }), "session_id");
  const session = findSession(context.backend.db, body.session_id);
  if (!session || session.user_id !== userId) refuse("api.context.invalid_url_param.app_error", "user_id");
  deleteSession(context.backend.db, session.id);
  return ok;
}

function postRevokeAll(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  deleteSessionsOf(context.backend.db, userId);
  return ok;
}

/** Clients ask this once after login; the caller's own session is the answer's only subject. */
function putDevice(context: Context): unknown {
  const { device_id } = readBody(context, z.object({ device_id: z.string().min(1) }), "device_id");
  const { db } = context.backend;
  db.update("sessions", { id: context.session?.id ?? "", user_id: callerId(context) }, { device_id });
  return ok;
}

export const loginRoutes: Route[] = [
  route("POST", "/users/login", postLogin, { ...publicly, ...asynchronously }),
  route("POST", "/users/logout", postLogout, publicly),
  route("GET", "/users/{user_id}/sessions", getSessions),
  route("POST", "/users/{user_id}/sessions/revoke", postRevoke),
  route("POST", "/users/{user_id}/sessions/revoke/all", postRevokeAll),
  route("PUT", "/users/sessions/device", putDevice),
];
