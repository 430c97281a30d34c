import { z } from "zod";
import { type Context, callerId, param, readBody, readIds } from "../context.ts";
import { refuse } from "../errors.ts";
import { findUser, updateUser } from "../model/users.ts";
import { publishTyping, publishUserUpdated } from "../operations/publish.ts";
import { chooseStatus, findStatus } from "../operations/set-status.ts";
import { demandSelf, needChannelWith } from "../permissions.ts";
import { ok } from "../require.ts";
import { type Route, route } from "../router.ts";

const StatusWord = z.enum(["online", "away", "dnd", "offline"]);
const NewStatus = z.object({
  user_id: z.string(),
  status: z.string(),
  dnd_end_time: z.number().int().optional(),
});
const CustomStatus = z.object({
  emoji: z.string().optional(),
  text: z.string().optional(),
  duration: z.string().optional(),
  expires_at: z.string().optional(),
});
const Typing = z.object({ channel_id: z.string(), parent_id: z.string().optional() });

function getStatus(context: Context): unknown {
  return findStatus(context.backend.db, param(context, "user_id"));
}

function postIds(context: Context): unknown {
  return readIds(context, "user_ids").map((id) => findStatus(context.backend.db, id));
}

function putStatus(context: Context): unknown {
  const userId = param(context, "user_id");
  const body = readBody(context, NewStatus, "status");
  // "me" in the body is not resolved: it has to be the path's id itself.
  if (body.user_id !== userId) refuse("api.context.invalid_body_param.app_error", "user_id");
  demandSelf(context, userId);
  const word = StatusWord.safeParse(body.status);
  if (!word.success) refuse("api.context.invalid_body_param.app_error", "status");
  return chooseStatus(context.backend, userId, word.data, body.dnd_end_time ?? 0);
}

function saveCustom(context: Context, customStatus: string): unknown {
  const { backend } = context;
  const userId = param(context, "user_id");
  demandSelf(context, userId);
  const user = findUser(backend.db, userId) ?? refuse("app.user.missing_account.const");
  const props = JSON.stringify({ ...(JSON.parse(user.props) as Record<string, string>), customStatus });
  const update_at = backend.clock.now();
  updateUser(backend.db, userId, { props, update_at });
  publishUserUpdated(backend, { ...user, props, update_at });
  return ok;
}

function putCustom(context: Context): unknown {
  const body = readBody(context, CustomStatus, "custom_status");
  if (!body.emoji && !body.text) refuse("api.context.invalid_body_param.app_error", "custom_status");
  return saveCustom(context, JSON.stringify(body));
}

function deleteCustom(context: Context): unknown {
  return saveCustom(context, "");
}

function postTyping(context: Context): unknown {
  const userId = param(context, "user_id");
  const body = readBody(context, Typing, "channel_id");
  demandSelf(context, userId);
  needChannelWith(context, body.channel_id, "create_post");
  publishTyping(context.backend, callerId(context), body.channel_id, body.parent_id ?? "");
  return ok;
}

export const statusRoutes: Route[] = [
  route("GET", "/users/{user_id}/status", getStatus),
  route("POST", "/users/status/ids", postIds),
  route("PUT", "/users/{user_id}/status", putStatus),
  route("PUT", "/users/{user_id}/status/custom", putCustom),
  route("DELETE", "/users/{user_id}/status/custom", deleteCustom),
  route("POST", "/users/{user_id}/typing", postTyping),
];
