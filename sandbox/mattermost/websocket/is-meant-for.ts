import type { ServerEvent } from "../events.ts";
import type { HubBackend } from "../hub-contract.ts";
import type { Connection, Presence } from "./connection.ts";

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
