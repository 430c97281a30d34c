import { createHash } from "node:crypto";
import type { Backend } from "../context.ts";
import { refuse } from "../errors.ts";
import { isId, makeId } from "../id.ts";
import {
  type ChannelRow,
  findChannel,
  findChannelByName,
  insertChannel,
  updateChannel,
} from "../model/channels.ts";
import { listUsersByIds, type UserRow } from "../model/users.ts";
import { channelObject } from "../serializers/channel.ts";
import { addMember, postJoined, postSystem } from "./channel-membership.ts";

const length = (text: string) => [...text].length;

/** @throws ApiError when a field breaks a rule. */
function checkChannel(channel: Pick<ChannelRow, "name" | "display_name" | "header" | "purpose">): void {
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

/** Creates a channel whose creator is its first member and admin. @throws ApiError 400. */
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

/** The row as it is now: posts in between have moved its counters. */
function reread(backend: Backend, channel: ChannelRow): ChannelRow {
  return findChannel(backend.db, channel.id) ?? channel;
}

/** What the system post about a changed text says. */
function describe(what: string, actor: string, before: string, after: string): string {
  if (before === "") return `${actor} updated the channel ${what} to: ${after}`;
  if (after === "") return `${actor} removed the channel ${what} (was: ${before})`;
  return `${actor} updated the channel ${what} from: ${before} to: ${after}`;
}

type Texts = Partial<Pick<ChannelRow, "display_name" | "name" | "header" | "purpose">>;

/** Changes the texts of a channel, tells its members, and says so in the channel. @throws ApiError 400. */
export function patchChannel(
  backend: Backend,
  channel: ChannelRow,
  actor: UserRow,
  changes: Texts,
): ChannelRow {
  const next: ChannelRow = { ...channel, ...changes, update_at: backend.clock.now() };
  const isDirect = channel.type === "D" || channel.type === "G";
  checkChannel(isDirect ? { ...next, name: "direct", display_name: "direct" } : next);
  const namesake = findChannelByName(backend.db, next.team_id, next.name);
  if (namesake && namesake.id !== channel.id) refuse("store.sql_channel.save_channel.exists.app_error");
  const { display_name, name, header, purpose, update_at } = next;
  updateChannel(backend.db, channel.id, { display_name, name, header, purpose, update_at });
  backend.publish({
    event: "channel_updated",
    data: { channel: JSON.stringify(channelObject(backend, next)) },
    broadcast: { channel_id: channel.id },
  });
  for (const [key, word, type] of [
    ["display_name", "display name", "displayname"],
    ["header", "header", "header"],
    ["purpose", "purpose", "purpose"],
  ] as const) {
    if (next[key] === channel[key]) continue;
    postSystem(backend, channel, actor, {
      type: `system_${type}_change`,
      message: describe(word, actor.username, channel[key], next[key]),
      props: { [`old_${type}`]: channel[key], [`new_${type}`]: next[key] },
    });
  }
  return reread(backend, next);
}

/** Turns a public channel into a private one, or the other way round. */
export function convertChannel(
  backend: Backend,
  channel: ChannelRow,
  actor: UserRow,
  type: "O" | "P",
): ChannelRow {
  if (channel.type === type) return channel;
  updateChannel(backend.db, channel.id, { type, update_at: backend.clock.now() });
  const message =
    type === "O"
      ? "This channel has been converted to a Public Channel and can be joined by any team member."
      : "This channel has been converted to a Private Channel.";
  postSystem(backend, { ...channel, type }, actor, { type: "system_change_chan_privacy", message });
  backend.publish({
    event: "channel_converted",
    data: { channel_id: channel.id },
    broadcast: { team_id: channel.team_id },
  });
  return reread(backend, channel);
}

/** Who hears of the fate of a channel: the team of a public one, the members of a private one. */
function audience(channel: ChannelRow): { team_id: string } | { channel_id: string } {
  return channel.type === "O" ? { team_id: channel.team_id } : { channel_id: channel.id };
}

export function archiveChannel(backend: Backend, channel: ChannelRow, actor: UserRow): void {
  postSystem(backend, channel, actor, {
    type: "system_channel_deleted",
    message: `${actor.username} archived the channel.`,
  });
  const delete_at = backend.clock.now();
  updateChannel(backend.db, channel.id, { delete_at, update_at: delete_at });
  backend.publish({
    event: "channel_deleted",
    data: { channel_id: channel.id, delete_at },
    broadcast: audience(channel),
  });
}

export function restoreChannel(backend: Backend, channel: ChannelRow, actor: UserRow): ChannelRow {
  updateChannel(backend.db, channel.id, { delete_at: 0, update_at: backend.clock.now() });
  backend.publish({
    event: "channel_restored",
    data: { channel_id: channel.id },
    broadcast: audience(channel),
  });
  postSystem(backend, reread(backend, channel), actor, {
    type: "system_channel_restored",
    message: `${actor.username} unarchived the channel.`,
  });
  return reread(backend, channel);
}
