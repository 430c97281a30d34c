import type { Broadcast, ServerEvent } from "../events.ts";
import type { Flavour } from "../hub-contract.ts";
import type { Connection, Outgoing } from "./connection.ts";

function wireBroadcast(broadcast: Broadcast, flavour: Flavour): Record<string, unknown> {
  if (flavour === "v11") return broadcast;
  const { omit_users, user_id, channel_id, team_id, connection_id } = broadcast;
  return { omit_users, user_id, channel_id, team_id, connection_id };
}

/** Posts of others that call for the reader: those he is named in or follows, and direct messages. */
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
