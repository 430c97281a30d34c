import { createHash } from "node:crypto";
import type { Backend } from "../backend.ts";
import { type ChannelRow, findChannelByName, insertChannel } from "../model/channels.ts";
import { listUsersByIds } from "../model/users.ts";
import { blankChannel } from "./create-channel.ts";
import { addMember } from "./join-channel.ts";

/** The direct channel of two users (or of one with himself): the one there is, else a new one. */
export function openDirect(backend: Backend, creatorId: string, otherId: string): ChannelRow {
  const name = [creatorId, otherId].sort().join("__");
  const present = findChannelByName(backend.db, "", name);
  if (present) return present;
  const channel = blankChannel(backend, {
    team_id: "",
    type: "D",
    name,
    display_name: "",
    creator_id: creatorId,
  });
  insertChannel(backend.db, channel);
  for (const userId of new Set([creatorId, otherId])) addMember(backend, channel.id, userId, false);
  backend.publish({
    event: "direct_added",
    data: { creator_id: creatorId, teammate_id: otherId },
    broadcast: { channel_id: channel.id },
  });
  return channel;
}

/** The group channel of these users: the one there is, else a new one. */
export function openGroup(backend: Backend, userIds: readonly string[]): ChannelRow {
  const ids = [...userIds].sort();
  const name = createHash("sha1").update(ids.join("")).digest("hex");
  const present = findChannelByName(backend.db, "", name);
  if (present) return present;
  const display_name = listUsersByIds(backend.db, ids)
    .map((user) => user.username)
    .join(", ");
  const channel = blankChannel(backend, { team_id: "", type: "G", name, display_name, creator_id: "" });
  insertChannel(backend.db, channel);
  for (const userId of ids) addMember(backend, channel.id, userId, false);
  const event = { event: "group_added", data: { teammate_ids: JSON.stringify(ids) } };
  if (!backend.isV11) backend.publish({ ...event, broadcast: { channel_id: channel.id } });
  else {
    for (const userId of ids) {
      backend.publish({ ...event, broadcast: { channel_id: channel.id, user_id: userId } });
    }
  }
  return channel;
}
