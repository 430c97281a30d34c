import type { Mattermost } from "../context.ts";
import { findChannelMember, listChannelsOf, updateChannelMember } from "../model/channels.ts";
import {
  type CategoryRow,
  type CategoryType,
  deletePreference,
  insertCategory,
  listCategories,
  listCategoryChannels,
  listPreferences,
  savePreference,
  setCategoryChannels,
  updateCategory,
} from "../model/preferences.ts";
import { publishMemberUpdated } from "./publish.ts";

export type Category = Omit<CategoryRow, "muted" | "collapsed"> & {
  muted: boolean;
  collapsed: boolean;
  channel_ids: string[];
};

const builtIn: ReadonlyArray<readonly [type: CategoryType, title: string, sorting: string]> = [
  ["favorites", "Favorites", ""],
  ["channels", "Channels", ""],
  ["direct_messages", "Direct Messages", "recent"],
];

const isDirect = (type: string) => type === "D" || type === "G";

/** Returns the user's categories in a team. The three built-in ones are created on first use. */
export function ensureCategories(mattermost: Mattermost, userId: string, teamId: string): CategoryRow[] {
  const present = listCategories(mattermost.db, userId, teamId);
  if (present.length > 0) return present;
  mattermost.transact(() => {
    for (const [index, [type, display_name, sorting]] of builtIn.entries()) {
      insertCategory(mattermost.db, {
        id: `${type}_${userId}_${teamId}`,
        user_id: userId,
        team_id: teamId,
        sort_order: index * 10,
        sorting,
        type,
        display_name,
        muted: 0,
        collapsed: 0,
      });
    }
    const favorites = listPreferences(mattermost.db, userId, "favorite_channel").filter(
      (row) => row.value === "true",
    );
    const mine = new Set(listChannelsOf(mattermost.db, userId, teamId).map((channel) => channel.id));
    const ids = favorites.map((row) => row.name).filter((id) => mine.has(id));
    setCategoryChannels(mattermost.db, `favorites_${userId}_${teamId}`, ids);
  });
  return listCategories(mattermost.db, userId, teamId);
}

/** Reads a client's sidebar. Channels without a category are at the end of the category for their type. */
export function readSidebar(mattermost: Mattermost, userId: string, teamId: string): Category[] {
  const rows = ensureCategories(mattermost, userId, teamId);
  const channels = listChannelsOf(mattermost.db, userId, teamId);
  const mine = new Set(channels.map((channel) => channel.id));
  const placed = new Map(
    rows.map((row) => [row.id, listCategoryChannels(mattermost.db, row.id).filter((id) => mine.has(id))]),
  );
  const taken = new Set([...placed.values()].flat());
  return rows.map((row) => {
    const rest = channels.filter(
      ({ id, type }) =>
        !taken.has(id) &&
        ((row.type === "channels" && !isDirect(type)) || (row.type === "direct_messages" && isDirect(type))),
    );
    const { muted, collapsed, ...values } = row;
    return {
      ...values,
      muted: muted === 1,
      collapsed: collapsed === 1,
      channel_ids: [...(placed.get(row.id) ?? []), ...rest.map(({ id }) => id)],
    };
  });
}

/** Returns the ids that a category may contain: the user's channels of its type, without duplicates. */
export function fittingChannels(
  mattermost: Mattermost,
  userId: string,
  teamId: string,
  type: CategoryType,
  ids: readonly string[],
): string[] {
  const kinds = new Map(
    listChannelsOf(mattermost.db, userId, teamId).map((channel) => [channel.id, channel.type]),
  );
  return [...new Set(ids)].filter((id) => {
    const kind = kinds.get(id);
    if (kind === undefined) return false;
    if (type === "channels") return !isDirect(kind);
    return type !== "direct_messages" || isDirect(kind);
  });
}

type CategoryChange = {
  id: string;
  sorting?: string | undefined;
  display_name: string;
  muted?: boolean | undefined;
  collapsed?: boolean | undefined;
  channel_ids?: string[] | null | undefined;
};

/** Updates the old `favorite_channel` preferences to match the favourites. */
function syncPreferences(
  mattermost: Mattermost,
  userId: string,
  before: readonly string[],
  now: readonly string[],
): void {
  for (const name of before) {
    if (!now.includes(name)) deletePreference(mattermost.db, userId, "favorite_channel", name);
  }
  for (const name of now) {
    savePreference(mattermost.db, { user_id: userId, category: "favorite_channel", name, value: "true" });
  }
}

function setMuted(mattermost: Mattermost, userId: string, channelId: string, isMuted: boolean): void {
  const member = findChannelMember(mattermost.db, channelId, userId);
  const props = JSON.parse(member?.notify_props ?? "{}") as Record<string, string>;
  const mark_unread = isMuted ? "mention" : "all";
  if (!member || props.mark_unread === mark_unread) return;
  updateChannelMember(mattermost.db, channelId, userId, {
    notify_props: JSON.stringify({ ...props, mark_unread }),
    last_update_at: mattermost.clock.now(),
  });
  publishMemberUpdated(mattermost, channelId, userId);
}

function updateOne(mattermost: Mattermost, row: CategoryRow, change: CategoryChange): void {
  const before = listCategoryChannels(mattermost.db, row.id);
  const wanted = change.channel_ids ?? [];
  const channelIds = fittingChannels(mattermost, row.user_id, row.team_id, row.type, wanted);
  updateCategory(mattermost.db, row.id, {
    ...(row.type === "custom" && { display_name: change.display_name }),
    ...(change.sorting !== undefined && { sorting: change.sorting }),
    ...(change.collapsed !== undefined && { collapsed: Number(change.collapsed) }),
    ...(change.muted !== undefined && { muted: Number(change.muted) }),
  });
  setCategoryChannels(mattermost.db, row.id, channelIds);
  if (row.type === "favorites") syncPreferences(mattermost, row.user_id, before, channelIds);
  const isMuteChanged = change.muted !== undefined && change.muted !== (row.muted === 1);
  for (const channelId of channelIds) {
    if (isMuteChanged || (row.muted === 1 && change.muted !== false)) {
      setMuted(mattermost, row.user_id, channelId, change.muted ?? true);
    }
  }
}

/**
 * Sets categories as given. A channel leaves its former category only if that category is passed too, without
 * the channel; otherwise the channel is in both.
 */
export function updateCategories(
  mattermost: Mattermost,
  userId: string,
  teamId: string,
  changes: readonly CategoryChange[],
): void {
  const rows = new Map(listCategories(mattermost.db, userId, teamId).map((row) => [row.id, row]));
  for (const change of changes) {
    const row = rows.get(change.id);
    if (row) updateOne(mattermost, row, change);
  }
}
