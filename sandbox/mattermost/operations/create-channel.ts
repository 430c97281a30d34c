import { createHash } from "node:crypto";
import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { isId, makeId } from "../id.ts";
import { type ChannelRow, findChannel, findChannelByName, insertChannel } from "../model/channels.ts";
import { listUsersByIds, type UserRow } from "../model/users.ts";
import { addMember } from "./channel-membership.ts";
import { postJoined } from "./system-posts.ts";

const length = (text: string) => [...text].length;

/** @throws ApiError when a field breaks a rule. */
export function checkChannel(
  channel: Pick<ChannelRow, "name" | "display_name" | "header" | "purpose">,
): void {
  // Names of two ids are those of direct channels, which nobody may take.
  const isOfDirect = channel.name.length === 54 && channel.name.split("__").every(isId);
  const isNameGood =
    /^[a-z0-9]+([a-z\-_0-9]+|(__)?)[a-z0-9]*$/.test(channel.name) && channel.name.length <= 64;
  if (isOfDirect || !isNameGood) refuse("model.channel.is_valid.1_or_more.app_error");
  if (channel.display_name.trim() === "" || length(channel.display_name) > 64) {
    refuse("model.channel.is_valid.display_name.app_error");
  }
  if (length(channel.header) > 1024) refuse("model.channel.is_valid.header.app_error");
  if (length(channel.purpose) > 250) refuse("model.channel.is_valid.purpose.app_error");
}

/** A row with nothing in it yet. */
export function blankChannel(
  backend: Backend,
  values: Pick<ChannelRow, "team_id" | "type" | "name" | "display_name" | "creator_id">,
): ChannelRow {
  const now = backend.clock.now();
  return {
    id: makeId(),
    create_at: now,
    update_at: now,
    delete_at: 0,
    header: "",
    purpose: "",
    last_post_at: 0,
    total_msg_count: 0,
    total_msg_count_root: 0,
    last_root_post_at: 0,
    ...values,
  };
}

/** Stores a public or private channel. @throws ApiError when the name is taken (archived ones count) or bad. */
export function saveChannel(backend: Backend, channel: ChannelRow): void {
  checkChannel(channel);
  if (findChannelByName(backend.db, channel.team_id, channel.name)) {
    refuse("store.sql_channel.save_channel.exists.app_error");
  }
  insertChannel(backend.db, channel);
}

/** Makes a channel whose creator is its first member and admin. @throws ApiError 400. */
export function createChannel(
  backend: Backend,
  creator: UserRow,
  values: Pick<ChannelRow, "team_id" | "type" | "name" | "display_name" | "header" | "purpose">,
): ChannelRow {
  const channel = { ...blankChannel(backend, { ...values, creator_id: creator.id }), ...values };
  saveChannel(backend, channel);
  addMember(backend, channel.id, creator.id, true);
  postJoined(backend, channel, creator);
  backend.publish({
    event: "channel_created",
    data: { channel_id: channel.id, team_id: channel.team_id },
    broadcast: { user_id: creator.id },
  });
  return findChannel(backend.db, channel.id) ?? channel;
}

/** The direct channel of two users (or of one with themselves): the one there is, else a new one. */
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
