import type { Backend } from "../backend.ts";
import {
  type CategoryRow,
  listCategories,
  listCategoryChannels,
  setCategoryChannels,
  updateCategory,
} from "../model/categories.ts";
import { findChannelMember, updateChannelMember } from "../model/channel-members.ts";
import { deletePreference, savePreference } from "../model/preferences.ts";
import { publishMemberUpdated } from "./publish-member.ts";
import { fittingChannels } from "./sidebar.ts";

type CategoryChange = {
  id: string;
  sorting?: string | undefined;
  display_name: string;
  muted?: boolean | undefined;
  collapsed?: boolean | undefined;
  channel_ids?: string[] | null | undefined;
};

/** Keeps the old `favorite_channel` preferences in step with the favourites. */
function syncPreferences(
  backend: Backend,
  userId: string,
  before: readonly string[],
  now: readonly string[],
): void {
  for (const name of before) {
    if (!now.includes(name)) deletePreference(backend.db, userId, "favorite_channel", name);
  }
  for (const name of now) {
    savePreference(backend.db, { user_id: userId, category: "favorite_channel", name, value: "true" });
  }
}

function setMuted(backend: Backend, userId: string, channelId: string, isMuted: boolean): void {
  const member = findChannelMember(backend.db, channelId, userId);
  const props = JSON.parse(member?.notify_props ?? "{}") as Record<string, string>;
  const mark_unread = isMuted ? "mention" : "all";
  if (!member || props.mark_unread === mark_unread) return;
  updateChannelMember(backend.db, channelId, userId, {
    notify_props: JSON.stringify({ ...props, mark_unread }),
    last_update_at: backend.clock.now(),
  });
  publishMemberUpdated(backend, channelId, userId);
}

function updateOne(backend: Backend, row: CategoryRow, change: CategoryChange): void {
  const before = listCategoryChannels(backend.db, row.id);
  const wanted = change.channel_ids ?? [];
  const channelIds = fittingChannels(backend, row.user_id, row.team_id, row.type, wanted);
  updateCategory(backend.db, row.id, {
    ...(row.type === "custom" && { display_name: change.display_name }),
    ...(change.sorting !== undefined && { sorting: change.sorting }),
    ...(change.collapsed !== undefined && { collapsed: Number(change.collapsed) }),
    ...(change.muted !== undefined && { muted: Number(change.muted) }),
  });
  setCategoryChannels(backend.db, row.id, channelIds);
  if (row.type === "favorites") syncPreferences(backend, row.user_id, before, channelIds);
  const isMuteChanged = change.muted !== undefined && change.muted !== (row.muted === 1);
  for (const channelId of channelIds) {
    if (isMuteChanged || (row.muted === 1 && change.muted !== false)) {
      setMuted(backend, row.user_id, channelId, change.muted ?? true);
    }
  }
}

/**
 * Sets categories as given. A channel leaves the category it was in only if that one is given too, without it;
 * else it shows in both.
 */
export function updateCategories(
  backend: Backend,
  userId: string,
  teamId: string,
  changes: readonly CategoryChange[],
): void {
  const rows = new Map(listCategories(backend.db, userId, teamId).map((row) => [row.id, row]));
  for (const change of changes) {
    const row = rows.get(change.id);
    if (row) updateOne(backend, row, change);
  }
}
