import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { type ChannelRow, findChannel, findChannelByName, updateChannel } from "../model/channels.ts";
import type { UserRow } from "../model/users.ts";
import { channelObject } from "../serializers/channel.ts";
import { checkChannel } from "./create-channel.ts";
import { postSystem } from "./system-posts.ts";

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

/** Makes a public channel private or the other way round. */
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
