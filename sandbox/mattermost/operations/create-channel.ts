import { createHash } from "node:crypto";
import type { Mattermost } from "../context.ts";
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

/** @throws ApiError if a field breaks a rule. */
function checkChannel(channel: Pick<ChannelRow, "name" | "display_name" | "header" | "purpose">): void {
  // Names that consist of two ids are reserved for direct channels.
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

/** Creates the row of an empty channel. */
export function blankChannel(
  mattermost: Mattermost,
  values: Pick<ChannelRow, "team_id" | "type" | "name" | "display_name" | "creator_id">,
): ChannelRow {
  const now = mattermost.clock.now();
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

/**
 * Stores a public or private channel. @throws ApiError if the name is invalid, or taken even by an archived
 * channel.
 */
export function saveChannel(mattermost: Mattermost, channel: ChannelRow): void {
  checkChannel(channel);
  if (findChannelByName(mattermost.db, channel.team_id, channel.name)) {
    refuse("store.sql_channel.save_channel.exists.app_error");
  }
  insertChannel(mattermost.db, channel);
}

/** Creates a channel whose creator is its first member and admin. @throws ApiError 400. */
export function createChannel(
  mattermost: Mattermost,
  creator: UserRow,
  values: Pick<ChannelRow, "team_id" | "type" | "name" | "display_name" | "header" | "purpose">,
): ChannelRow {
  const channel = { ...blankChannel(mattermost, { ...values, creator_id: creator.id }), ...values };
  saveChannel(mattermost, channel);
  addMember(mattermost, channel.id, creator.id, true);
  postJoined(mattermost, channel, creator);
  mattermost.publish({
    event: "channel_created",
    data: { channel_id: channel.id, team_id: channel.team_id },
    broadcast: { user_id: creator.id },
  });
  return findChannel(mattermost.db, channel.id) ?? channel;
}

/** Returns the direct channel of two users, or of one user with themselves, and creates it if missing. */
export function openDirect(mattermost: Mattermost, creatorId: string, otherId: string): ChannelRow {
  const name = [creatorId, otherId].sort().join("__");
  const present = findChannelByName(mattermost.db, "", name);
  if (present) return present;
  const channel = blankChannel(mattermost, {
    team_id: "",
    type: "D",
    name,
    display_name: "",
    creator_id: creatorId,
  });
  insertChannel(mattermost.db, channel);
  for (const userId of new Set([creatorId, otherId])) addMember(mattermost, channel.id, userId, false);
  mattermost.publish({
    event: "direct_added",
    data: { creator_id: creatorId, teammate_id: otherId },
    broadcast: { channel_id: channel.id },
  });
  return channel;
}

/** Returns the group channel of these users, and creates it if missing. */
export function openGroup(mattermost: Mattermost, userIds: readonly string[]): ChannelRow {
  const ids = [...userIds].sort();
  const name = createHash("sha1").update(ids.join("")).digest("hex");
  const present = findChannelByName(mattermost.db, "", name);
  if (present) return present;
  const display_name = listUsersByIds(mattermost.db, ids)
    .map((user) => user.username)
    .join(", ");
  const channel = blankChannel(mattermost, { team_id: "", type: "G", name, display_name, creator_id: "" });
  insertChannel(mattermost.db, channel);
  for (const userId of ids) addMember(mattermost, channel.id, userId, false);
  const event = { event: "group_added", data: { teammate_ids: JSON.stringify(ids) } };
  if (!mattermost.isV11) mattermost.publish({ ...event, broadcast: { channel_id: channel.id } });
  else {
    for (const userId of ids) {
      mattermost.publish({ ...event, broadcast: { channel_id: channel.id, user_id: userId } });
    }
  }
  return channel;
}

/** Reads the row again, because posts have moved its counters. */
function reread(mattermost: Mattermost, channel: ChannelRow): ChannelRow {
  return findChannel(mattermost.db, channel.id) ?? channel;
}

/** Returns the text of the system post about a changed text. */
function describe(what: string, actor: string, before: string, after: string): string {
  if (before === "") return `${actor} updated the channel ${what} to: ${after}`;
  if (after === "") return `${actor} removed the channel ${what} (was: ${before})`;
  return `${actor} updated the channel ${what} from: ${before} to: ${after}`;
}

type Texts = Partial<Pick<ChannelRow, "display_name" | "name" | "header" | "purpose">>;

/** Changes the texts of a channel, notifies its members, and posts about it. @throws ApiError 400. */
export function patchChannel(
  mattermost: Mattermost,
  channel: ChannelRow,
  actor: UserRow,
  changes: Texts,
): ChannelRow {
  const next: ChannelRow = { ...channel, ...changes, update_at: mattermost.clock.now() };
  const isDirect = channel.type === "D" || channel.type === "G";
  checkChannel(isDirect ? { ...next, name: "direct", display_name: "direct" } : next);
  const namesake = findChannelByName(mattermost.db, next.team_id, next.name);
  if (namesake && namesake.id !== channel.id) refuse("store.sql_channel.save_channel.exists.app_error");
  const { display_name, name, header, purpose, update_at } = next;
  updateChannel(mattermost.db, channel.id, { display_name, name, header, purpose, update_at });
  mattermost.publish({
    event: "channel_updated",
    data: { channel: JSON.stringify(channelObject(mattermost, next)) },
    broadcast: { channel_id: channel.id },
  });
  for (const [key, word, type] of [
    ["display_name", "display name", "displayname"],
    ["header", "header", "header"],
    ["purpose", "purpose", "purpose"],
  ] as const) {
    if (next[key] === channel[key]) continue;
    postSystem(mattermost, channel, actor, {
      type: `system_${type}_change`,
      message: describe(word, actor.username, channel[key], next[key]),
      props: { [`old_${type}`]: channel[key], [`new_${type}`]: next[key] },
    });
  }
  return reread(mattermost, next);
}

/** Makes a public channel private, or a private one public. */
export function convertChannel(
  mattermost: Mattermost,
  channel: ChannelRow,
  actor: UserRow,
  type: "O" | "P",
): ChannelRow {
  if (channel.type === type) return channel;
  updateChannel(mattermost.db, channel.id, { type, update_at: mattermost.clock.now() });
  const message =
    type === "O"
      ? "This channel has been converted to a Public Channel and can be joined by any team member."
      : "This channel has been converted to a Private Channel.";
  postSystem(mattermost, { ...channel, type }, actor, { type: "system_change_chan_privacy", message });
  mattermost.publish({
    event: "channel_converted",
    data: { channel_id: channel.id },
    broadcast: { team_id: channel.team_id },
  });
  return reread(mattermost, channel);
}

/** Returns the audience for changes to a channel: the team of a public one, the members of a private one. */
function audience(channel: ChannelRow): { team_id: string } | { channel_id: string } {
  return channel.type === "O" ? { team_id: channel.team_id } : { channel_id: channel.id };
}

export function archiveChannel(mattermost: Mattermost, channel: ChannelRow, actor: UserRow): void {
  postSystem(mattermost, channel, actor, {
    type: "system_channel_deleted",
    message: `${actor.username} archived the channel.`,
  });
  const delete_at = mattermost.clock.now();
  updateChannel(mattermost.db, channel.id, { delete_at, update_at: delete_at });
  mattermost.publish({
    event: "channel_deleted",
    data: { channel_id: channel.id, delete_at },
    broadcast: audience(channel),
  });
}

export function restoreChannel(mattermost: Mattermost, channel: ChannelRow, actor: UserRow): ChannelRow {
  updateChannel(mattermost.db, channel.id, { delete_at: 0, update_at: mattermost.clock.now() });
  mattermost.publish({
    event: "channel_restored",
    data: { channel_id: channel.id },
    broadcast: audience(channel),
  });
  postSystem(mattermost, reread(mattermost, channel), actor, {
    type: "system_channel_restored",
    message: `${actor.username} unarchived the channel.`,
  });
  return reread(mattermost, channel);
}
