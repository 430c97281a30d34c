import type { WebSocket } from "ws";
import { z } from "zod";
import type { Broadcast, Flavour, MattermostForHub, ServerEvent } from "../event-bus.ts";
import { isId, makeId } from "../id.ts";
import type { Limits } from "./limits.ts";
import { failFrame, okFrame } from "./replies.ts";

/** An event without its number, which each connection assigns, or a whole reply. */
export type Outgoing = { kind: "event"; name: string; head: string } | { kind: "reply"; text: string };

/** The places that the client is viewing, from the `presence` action. */
type Presence = { channelId?: string; threadChannelId?: string; sideThreadChannelId?: string };

/** One client's stream of events. It outlives its socket, so that a later socket can continue it. */
export type Connection = {
  id(): string;
  readonly userId: string;
  sessionId: string;
  presence: Presence;
  /** True if the client asked which posts it must acknowledge. */
  wantsPostedAck: boolean;
  isOpen(): boolean;
  isSlow(): boolean;
  /** Sends an item. Returns false if the queue is full, which makes the connection useless. */
  send(item: Outgoing): boolean;
  open(socket: WebSocket): void;
  /** Continues from `sequence` or, if those events are gone, with a new id and the hello of `makeHello`. */
  resume(socket: WebSocket, sequence: number, makeHello: (id: string) => Outgoing): void;
  /** Detaches the socket. From then on events wait. */
  detach(): void;
  /** Closes the socket, if there is one. */
  end(): void;
};

const droppable = new Set(["typing", "status_change", "channel_viewed", "multiple_channels_viewed"]);

export function createConnection(session: { userId: string; sessionId: string }, limits: Limits): Connection {
  let id = makeId();
  let nextSeq = 0;
  let replayable: { seq: number; head: string }[] = [];
  const queue: Outgoing[] = [];
  let socket: WebSocket | null = null;
  let stalled: NodeJS.Timeout | null = null;

  const number = (head: string, seq: number) => `${head},"seq":${seq}}`;

  function write(text: string): void {
    const target = socket;
    if (!target) return;
    target.send(text, () => {
      if (target !== socket || !stalled) return;
      clearTimeout(stalled);
      stalled = null;
      drain();
    });
    // Only unsent bytes hold up the queue, so a burst to a fast reader never fills it.
    if (target.bufferedAmount > 0) stalled ??= setTimeout(() => target.terminate(), limits.writeMs).unref();
  }

  function writeEvent(head: string): void {
    replayable.push({ seq: nextSeq, head });
    if (replayable.length > limits.maxReplayed) replayable.shift();
    write(number(head, nextSeq));
    nextSeq += 1;
  }

  function drain(): void {
    // Frames that a closing socket would lose wait for the next socket.
    while (socket && socket.readyState === socket.OPEN && !stalled) {
      const item = queue.shift();
      if (!item) return;
      if (item.kind === "event") writeEvent(item.head);
      else write(item.text);
    }
  }

  return {
    id: () => id,
    userId: session.userId,
    sessionId: session.sessionId,
    presence: {},
    wantsPostedAck: false,
    isOpen: () => socket !== null,
    isSlow: () => queue.length >= limits.maxQueued / 2,
    send(item) {
      if (item.kind === "event" && droppable.has(item.name) && this.isSlow()) return true;
      if (queue.length >= limits.maxQueued) return false;
      queue.push(item);
      drain();
      return true;
    },
    open(fresh) {
      socket = fresh;
      drain();
    },
    resume(fresh, sequence, makeHello) {
      socket = fresh;
      const from = replayable.findIndex((event) => event.seq === sequence);
      if (sequence === 0) {
        // A real server counts from 0 again here, without a hello.
        nextSeq = 0;
        replayable = [];
      } else if (from >= 0) {
        for (const event of replayable.slice(from)) write(number(event.head, event.seq));
      } else if (sequence !== nextSeq) {
        id = makeId();
        nextSeq = 0;
        replayable = [];
        const hello = makeHello(id);
        if (hello.kind === "event") writeEvent(hello.head);
      }
      drain();
    },
    detach() {
      socket = null;
      if (stalled) clearTimeout(stalled);
      stalled = null;
    },
    end() {
      socket?.close();
    },
  };
}

function wireBroadcast(broadcast: Broadcast, flavour: Flavour): Record<string, unknown> {
  if (flavour === "v11") return broadcast;
  const { omit_users, user_id, channel_id, team_id, connection_id } = broadcast;
  return { omit_users, user_id, channel_id, team_id, connection_id };
}

/**
 * Returns whether an event is a post by another user that notifies the reader: a mention, a followed thread
 * or a direct message.
 */
function needsAck(event: ServerEvent, data: Record<string, unknown>, userId: string): boolean {
  if (event.event !== "posted") return false;
  const author = (JSON.parse(String(data.post)) as { user_id?: string }).user_id;
  if (author === userId) return false;
  return "mentions" in data || "followers" in data || data.channel_type === "D";
}

/**
 * Creates the function that renders an event for a connection, without its number. Text shared by all
 * recipients is built once.
 */
export function createEncoder(event: ServerEvent, flavour: Flavour): (connection: Connection) => Outgoing {
  const broadcast = JSON.stringify(wireBroadcast(event.broadcast, flavour));
  const encode = (data: Record<string, unknown>): Outgoing => ({
    kind: "event",
    name: event.event,
    head: `{"event":${JSON.stringify(event.event)},"data":${JSON.stringify(data)},"broadcast":${broadcast}`,
  });
  let shared: Outgoing | null = null;
  return ({ userId, wantsPostedAck }) => {
    const data = event.dataFor?.(userId) ?? event.data;
    if (flavour === "v11" && wantsPostedAck && needsAck(event, data, userId)) {
      return encode({ ...data, should_ack: true });
    }
    if (event.dataFor) return encode(data);
    shared ??= encode(data);
    return shared;
  };
}

const scoped = new Set(["typing", "reaction_added", "reaction_removed"]);

/** Returns true only if the client reported all three places and the channel is none of them. */
function looksElsewhere(
  { channelId, threadChannelId, sideThreadChannelId }: Presence,
  channel: string,
): boolean {
  const places = [channelId, threadChannelId, sideThreadChannelId];
  return places.every((place) => place !== undefined && place !== channel);
}

/** Returns whether the connection may still receive events. An old server only requires an active user. */
export function mayHear(connection: Connection, mattermost: MattermostForHub): boolean {
  if (mattermost.flavour === "v7") return mattermost.isUserActive(connection.userId);
  return mattermost.isSessionAlive(connection.sessionId);
}

/** Returns whether the event goes to the connection. The first broadcast field that is set decides. */
export function isMeantFor(
  event: ServerEvent,
  connection: Connection,
  mattermost: MattermostForHub,
): boolean {
  const { broadcast } = event;
  const { userId } = connection;
  if (broadcast.contains_sanitized_data && mattermost.isSystemAdmin(userId)) return false;
  if (broadcast.contains_sensitive_data && !mattermost.isSystemAdmin(userId)) return false;
  if (broadcast.connection_id) return broadcast.connection_id === connection.id();
  if (broadcast.omit_connection_id === connection.id()) return false;
  if (broadcast.user_id) return broadcast.user_id === userId;
  if (broadcast.omit_users?.[userId]) return false;
  if (broadcast.channel_id) {
    const isScoped = mattermost.flavour === "v11" && scoped.has(event.event);
    if (isScoped && looksElsewhere(connection.presence, broadcast.channel_id)) return false;
    return mattermost.isChannelMember(userId, broadcast.channel_id);
  }
  return broadcast.team_id ? mattermost.isTeamMember(userId, broadcast.team_id) : true;
}

type Result = { data: Record<string, unknown> } | { invalidParam: string } | undefined;
type Handler = (action: Action, connection: Connection, mattermost: MattermostForHub) => Result;

const handlers: Record<string, Handler> = {
  ping: (_action, _connection, mattermost) => ({
    data: {
      text: "pong",
      version: mattermost.serverVersion.split(".").slice(0, 3).join("."),
      server_time: Date.now(),
      node_id: "",
    },
  }),
  user_typing({ data }, { userId }, mattermost) {
    const { channel_id: channelId, parent_id: parentId } = data;
    if (!isId(channelId) || !mattermost.canPost(userId, channelId)) return { invalidParam: "channel_id" };
    mattermost.typing(userId, channelId, typeof parentId === "string" ? parentId : "");
  },
  get_statuses: (_action, _connection, mattermost) => ({ data: Object.fromEntries(mattermost.statuses()) }),
  get_statuses_by_ids({ data }, _connection, mattermost) {
    const ids = Array.isArray(data.user_ids) ? data.user_ids.filter((id) => typeof id === "string") : [];
    if (ids.length === 0) return { invalidParam: "user_ids" };
    return { data: Object.fromEntries(ids.map((id) => [id, mattermost.status(id).status])) };
  },
  user_update_active_status({ data }, { userId }, mattermost) {
    const { user_is_active: isActive, manual } = data;
    if (typeof isActive !== "boolean") return { invalidParam: "user_is_active" };
    mattermost.setActive(userId, isActive, manual === true);
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
  // A real server only counts these acknowledgements for its metrics.
  posted_notify_ack: () => undefined,
};

/** Runs the action and returns its reply, or null for a second challenge, which gets none. */
export function answerAction(
  action: Action,
  connection: Connection,
  mattermost: MattermostForHub,
): string | null {
  if (action.action === "") return failFrame(action, "api.web_socket_router.no_action.app_error");
  if (action.seq <= 0) return failFrame(action, "api.web_socket_router.bad_seq.app_error");
  if (action.action === "authentication_challenge") return null;
  if (!mayHear(connection, mattermost)) {
    return failFrame(action, "api.web_socket_router.not_authenticated.app_error");
  }
  const known = mattermost.flavour === "v11" ? handlersOfV11 : handlers;
  const handler = Object.hasOwn(known, action.action) ? known[action.action] : undefined;
  if (!handler) return failFrame(action, "api.web_socket_router.bad_action.app_error");
  if (!mattermost.isSessionAlive(connection.sessionId))
    return failFrame(action, "api.context.invalid_token.error");
  const result = handler(action, connection, mattermost);
  if (result && "invalidParam" in result) {
    return failFrame(action, "api.websocket_handler.invalid_param.app_error", result.invalidParam);
  }
  return okFrame(action.seq, result?.data);
}

/**
 * A client's action. A null field counts as missing, and a missing one as empty, which the router refuses
 * with a reply.
 */
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

/**
 * Parses a client's frame of JSON, or returns null if it is not part of the protocol. A real server also
 * reads MessagePack in binary frames, which no client here sends.
 */
export function parseAction(frame: Buffer, isBinary: boolean): Action | null {
  if (isBinary) return null;
  try {
    return Action.safeParse(JSON.parse(frame.toString("utf8"))).data ?? null;
  } catch {
    // The frame is not JSON: the caller drops the connection.
    return null;
  }
}
