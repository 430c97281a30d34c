import { z } from "zod";
import { type Context, callerId, type Mattermost, param, readBody } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import { countActiveUsers, deleteSessionsOf, type UserRow, updateUser } from "../model/users.ts";
import { checkPassword, checkUser, hashPassword, isPassword } from "../operations/authenticate.ts";
import { publishTyping, publishUserUpdated } from "../operations/publish.ts";
import { chooseStatus, findStatus, goOffline } from "../operations/set-status.ts";
import { can, demandPermission, demandSelf, requireChannelWith, roles } from "../permissions.ts";
import { ok, requireUser } from "../require.ts";
import { asynchronously, type Route, route } from "../router.ts";
import { userObject } from "../serializers/channel.ts";

const Strings = z.record(z.string(), z.string());
const UserPatch = z.object({
  username: z.string().nullish(),
  nickname: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  position: z.string().nullish(),
  email: z.string().nullish(),
  password: z.string().nullish(),
  props: Strings.nullish(),
  notify_props: Strings.nullish(),
  locale: z.string().nullish(),
  timezone: Strings.nullish(),
});
type UserPatch = z.infer<typeof UserPatch>;

function change(mattermost: Mattermost, user: UserRow, patch: UserPatch): UserRow {
  const json = (value: Record<string, string> | null | undefined, old: string) =>
    value ? JSON.stringify(value) : old;
  const next: UserRow = {
    ...user,
    username: patch.username?.trim().toLowerCase() ?? user.username,
    nickname: patch.nickname ?? user.nickname,
    first_name: patch.first_name ?? user.first_name,
    last_name: patch.last_name ?? user.last_name,
    position: patch.position ?? user.position,
    email: patch.email?.trim().toLowerCase() ?? user.email,
    locale: patch.locale ?? user.locale,
    props: json(patch.props, user.props),
    notify_props: json(patch.notify_props, user.notify_props),
    timezone: json(patch.timezone, user.timezone),
    update_at: mattermost.clock.now(),
  };
  checkUser(mattermost, next);
  const { id, ...columns } = next;
  updateUser(mattermost.db, id, columns);
  publishUserUpdated(mattermost, next);
  return next;
}

/** Changes a user. Changing one's own e-mail address requires the password. */
async function save(context: Context, patch: UserPatch): Promise<unknown> {
  demandSelf(context, param(context, "user_id"));
  const user = requireUser(context, param(context, "user_id"));
  const isOwn = user.id === callerId(context);
  if (isOwn && patch.email && patch.email.toLowerCase() !== user.email) {
    const isKnown = await isPassword(patch.password ?? "", user.password_hash);
    if (!isKnown) refuse("api.context.invalid_body_param.app_error", "password");
  }
  return context.mattermost.transact(() =>
    userObject(change(context.mattermost, requireUser(context, param(context, "user_id")), patch), true),
  );
}

function putPatch(context: Context): Promise<unknown> {
  return save(context, readBody(context, UserPatch, "user"));
}

function setActive(mattermost: Mattermost, user: UserRow, isActive: boolean): void {
  if (isActive === (user.delete_at === 0)) return;
  if (isActive && countActiveUsers(mattermost.db) >= mattermost.settings.maxUsers) {
    refuse("api.user.create_user.user_limits.exceeded");
  }
  const now = mattermost.clock.now();
  const delete_at = isActive ? 0 : now;
  updateUser(mattermost.db, user.id, { delete_at, update_at: now });
  if (!isActive) {
    deleteSessionsOf(mattermost.db, user.id);
    goOffline(mattermost, user.id);
  }
  publishUserUpdated(mattermost, { ...user, delete_at, update_at: now });
  mattermost.publish({ event: "user_activation_status_change", data: {}, broadcast: {} });
}

function putActive(context: Context): unknown {
  const { active } = readBody(context, z.object({ active: z.boolean() }), "active");
  const caller = callerId(context);
  const isManager = can(context.mattermost.db, caller, "sysconsole_write_user_management_users");
  const isOwn = caller === param(context, "user_id");
  // Without management rights users could only deactivate themselves, which a default server forbids.
  if (!isManager && isOwn && !active) refuse("api.user.update_active.not_enable.app_error");
  if (!isManager) refuse("api.user.update_active.permissions.app_error");
  setActive(context.mattermost, requireUser(context, param(context, "user_id")), active);
  return ok;
}

function deleteUser(context: Context): unknown {
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  const isManager = can(context.mattermost.db, callerId(context), "sysconsole_write_user_management_users");
  if (userId === callerId(context) && !isManager) refuse("api.user.update_active.not_enable.app_error");
  setActive(context.mattermost, requireUser(context, param(context, "user_id")), false);
  return ok;
}

function putRoles(context: Context): unknown {
  const { mattermost } = context;
  demandPermission(context, "manage_roles");
  const body = readBody(context, z.object({ roles: z.string() }), "roles");
  const names = body.roles.split(" ");
  if (!names.every((name) => name.startsWith("system_") && roles.has(name))) {
    refuse("api.context.invalid_body_param.app_error", "roles");
  }
  const user = requireUser(context, param(context, "user_id"));
  updateUser(mattermost.db, user.id, { roles: body.roles, update_at: mattermost.clock.now() });
  mattermost.publish({
    event: "user_role_updated",
    data: { user_id: user.id, roles: body.roles },
    broadcast: { user_id: user.id },
  });
  return ok;
}

async function putPassword(context: Context): Promise<unknown> {
  const { mattermost } = context;
  const schema = z.object({ current_password: z.string().optional(), new_password: z.string() });
  const body = readBody(context, schema, "new_password");
  const userId = param(context, "user_id");
  const isOwn = userId === callerId(context);
  demand(isOwn || can(mattermost.db, callerId(context), "sysconsole_write_user_management_users"));
  const user = requireUser(context, param(context, "user_id"));
  if (isOwn && !(await isPassword(body.current_password ?? "", user.password_hash))) {
    refuse("api.user.update_password.incorrect.app_error");
  }
  checkPassword(mattermost, body.new_password);
  const password_hash = await hashPassword(body.new_password);
  const now = mattermost.clock.now();
  mattermost.transact(() =>
    updateUser(mattermost.db, userId, { password_hash, last_password_update: now, update_at: now }),
  );
  return ok;
}

export const userChangeRoutes: Route[] = [
  route("PUT", "/users/{user_id}/patch", putPatch, asynchronously),
  route("PUT", "/users/{user_id}/active", putActive),
  route("PUT", "/users/{user_id}/roles", putRoles),
  route("PUT", "/users/{user_id}/password", putPassword, asynchronously),
  route("DELETE", "/users/{user_id}", deleteUser),
];

const StatusWord = z.enum(["online", "away", "dnd", "offline"]);
const NewStatus = z.object({
  user_id: z.string(),
  status: z.string(),
  dnd_end_time: z.number().int().optional(),
});
const Typing = z.object({ channel_id: z.string(), parent_id: z.string().optional() });

function getStatus(context: Context): unknown {
  return findStatus(context.mattermost.db, param(context, "user_id"));
}

function putStatus(context: Context): unknown {
  const userId = param(context, "user_id");
  const body = readBody(context, NewStatus, "status");
  // "me" is not resolved in the body, which must contain the id in the path.
  if (body.user_id !== userId) refuse("api.context.invalid_body_param.app_error", "user_id");
  demandSelf(context, userId);
  const word = StatusWord.safeParse(body.status);
  if (!word.success) refuse("api.context.invalid_body_param.app_error", "status");
  return chooseStatus(context.mattermost, userId, word.data, body.dnd_end_time ?? 0);
}

function postTyping(context: Context): unknown {
  const userId = param(context, "user_id");
  const body = readBody(context, Typing, "channel_id");
  demandSelf(context, userId);
  requireChannelWith(context, body.channel_id, "create_post");
  publishTyping(context.mattermost, callerId(context), body.channel_id, body.parent_id ?? "");
  return ok;
}

export const statusRoutes: Route[] = [
  route("GET", "/users/{user_id}/status", getStatus),
  route("PUT", "/users/{user_id}/status", putStatus),
  route("POST", "/users/{user_id}/typing", postTyping),
];
