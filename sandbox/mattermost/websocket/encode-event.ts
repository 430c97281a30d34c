import type { Broadcast, ServerEvent } from "../events.ts";
import type { Flavour, HubBackend } from "../hub-contract.ts";
import type { Connection, Outgoing, Presence } from "./connection.ts";

function wireBroadcast(broadcast: Broadcast, flavour: Flavour): Record<string, unknown> {
  if (flavour === "v11") return broadcast;
  const { omit_users, user_id, channel_id, team_id, connection_id } = broadcast;
  return { omit_users, user_id, channel_id, team_id, connection_id };
}

/** Posts of others that call for the reader: those they are named in or follow, and direct messages. */
function needsAck(event: ServerEvent, data: Record<string, unknown>, userId: string): boolean {
  if (event.event !== "posted") return false;
  const author = (JSON.parse(String(data.post)) as { user_id?: string }).user_id;
  if (author === userId) return false;
  return "mentions" in data || "followers" in data || data.channel_type === "D";
}

/** The event as this connection gets it, up to its number. Text that all recipients share is made once. */
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

/** True only when the client named what it looks at in all three places and the channel is none of them. */
function looksElsewhere(
  { channelId, threadChannelId, sideThreadChannelId }: Presence,
  channel: string,
): boolean {
  const places = [channelId, threadChannelId, sideThreadChannelId];
  return places.every((place) => place !== undefined && place !== channel);
}

/** Whether the connection still may hear anything: an old server asks only for an active user. */
export function mayHear(connection: Connection, backend: HubBackend): boolean {
  if (backend.flavour === "v7") return backend.isUserActive(connection.userId);
  return backend.isSessionAlive(connection.sessionId);
}

/** Whether the event goes to the connection: the first broadcast field that is set decides. */
export function isMeantFor(event: ServerEvent, connection: Connection, backend: HubBackend): boolean {
  const { broadcast } = event;
  const { userId } = connection;
  if (broadcast.contains_sanitized_data && backend.isSystemAdmin(userId)) return false;
  if (broadcast.contains_sensitive_data && !backend.isSystemAdmin(userId)) return false;
  if (broadcast.connection_id) return broadcast.connection_id === connection.id();
  if (broadcast.omit_connection_id === connection.id()) return false;
  if (broadcast.user_id) return broadcast.user_id === userId;
  if (broadcast.omit_users?.[userId]) return false;
  if (broadcast.channel_id) {
    const isScoped = backend.flavour === "v11" && scoped.has(event.event);
    if (isScoped && looksElsewhere(connection.presence, broadcast.channel_id)) return false;
    return backend.isChannelMember(userId, broadcast.channel_id);
  }
  return broadcast.team_id ? backend.isTeamMember(userId, broadcast.team_id) : true;
}
