import { z } from "zod";
import type { HubBackend } from "../events.ts";
import { isId } from "../id.ts";
import { type Connection, mayHear } from "./connection.ts";
import { decodeMessagePack, failFrame, okFrame } from "./message-pack.ts";

type Result = { data: Record<string, unknown> } | { invalidParam: string } | undefined;
type Handler = (action: Action, connection: Connection, backend: HubBackend) => Result;

const handlers: Record<string, Handler> = {
  ping: (_action, _connection, backend) => ({
    data: {
      text: "pong",
      version: backend.serverVersion.split(".").slice(0, 3).join("."),
      server_time: Date.now(),
      node_id: "",
    },
  }),
  user_typing({ data }, { userId }, backend) {
    const { channel_id: channelId, parent_id: parentId } = data;
    if (!isId(channelId) || !backend.canPost(userId, channelId)) return { invalidParam: "channel_id" };
    backend.typing(userId, channelId, typeof parentId === "string" ? parentId : "");
  },
  get_statuses: (_action, _connection, backend) => ({ data: Object.fromEntries(backend.statuses()) }),
  get_statuses_by_ids({ data }, _connection, backend) {
    const ids = Array.isArray(data.user_ids) ? data.user_ids.filter((id) => typeof id === "string") : [];
    if (ids.length === 0) return { invalidParam: "user_ids" };
    return { data: Object.fromEntries(ids.map((id) => [id, backend.status(id).status])) };
  },
  user_update_active_status({ data }, { userId }, backend) {
    const { user_is_active: isActive, manual } = data;
    if (typeof isActive !== "boolean") return { invalidParam: "user_is_active" };
    backend.setActive(userId, isActive, manual === true);
  },
};

const handlersOfV11: Record<string, Handler> = {
  ...handlers,
  presence({ data }, connection) {
    const { channel_id: channelId, thread_channel_id: threadChannelId } = data;
    if (typeof channelId === "string") connection.presence.channelId = channelId;
    if (typeof threadChannelId !== "string") return undefined;
    if (data.is_thread_view === true) connection.presence.threadChannelId = threadChannelId;
    else connection.presence.sideThreadChannelId = threadChannelId;
    return undefined;
  },
  // A real server only counts these for its metrics.
  posted_notify_ack: () => undefined,
};

/** Does the action and returns the reply; null for a second challenge, which gets none. */
export function answerAction(action: Action, connection: Connection, backend: HubBackend): string | null {
  if (action.action === "") return failFrame(action, "api.web_socket_router.no_action.app_error");
  if (action.seq <= 0) return failFrame(action, "api.web_socket_router.bad_seq.app_error");
  if (action.action === "authentication_challenge") return null;
  if (!mayHear(connection, backend)) {
    return failFrame(action, "api.web_socket_router.not_authenticated.app_error");
  }
  const known = backend.flavour === "v11" ? handlersOfV11 : handlers;
  const handler = Object.hasOwn(known, action.action) ? known[action.action] : undefined;
  if (!handler) return failFrame(action, "api.web_socket_router.bad_action.app_error");
  if (!backend.isSessionAlive(connection.sessionId))
    return failFrame(action, "api.context.invalid_token.error");
  const result = handler(action, connection, backend);
  if (result && "invalidParam" in result) {
    return failFrame(action, "api.websocket_handler.invalid_param.app_error", result.invalidParam);
  }
  return okFrame(action.seq, result?.data);
}

/** A field that is null counts as left out, and a missing one as empty: the router refuses that with a reply. */
const Action = z
  .object({
    seq: z.int().nullish(),
    action: z.string().nullish(),
    data: z.record(z.string(), z.unknown()).nullish(),
  })
  .nullable()
  .transform((frame) => ({
    seq: frame?.seq ?? 0,
    action: frame?.action ?? "",
    data: frame?.data ?? {},
  }));

export type Action = z.infer<typeof Action>;

/** A client's frame: JSON in text, MessagePack in binary. Null when it is not of the protocol at all. */
export function parseAction(frame: Buffer, isBinary: boolean): Action | null {
  try {
    const value = isBinary ? decodeMessagePack(frame) : JSON.parse(frame.toString("utf8"));
    return Action.safeParse(value).data ?? null;
  } catch {
    // No JSON or MessagePack: the caller cuts the connection.
    return null;
  }
}
