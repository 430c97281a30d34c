import { CodedError } from "../../errors.ts";
import { muteChannel } from "../../mattermost/channel-members.ts";
import { listCategories, type SidebarCategory, updateCategories } from "../../mattermost/preferences.ts";
import { withLock } from "../../store/lock.ts";
import type { Session } from "../session/session.ts";

const LOCK_TIMEOUT_MS = 10_000;

/**
 * Puts a channel among the favourites or takes it out. Writes only the categories concerned, and one change of a caller
 * at a time in all processes, so that changes made side by side are all kept.
 * @throws CodedError `not_found` when the caller is no member
 */
export async function favoriteChannel(
  session: Session,
  channelId: string,
  isFavorite: boolean,
): Promise<void> {
  const { caller, gateway, patHash } = session;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(new CodedError("backend_timeout")), LOCK_TIMEOUT_MS);
  try {
    await withLock(gateway.store, `lock:favorites:${patHash}`, waiting.signal, async () => {
      const categories = await listCategories(caller, gateway.teamId);
      const changed = isFavorite
        ? withFavorite(categories, channelId)
        : withoutFavorite(categories, channelId);
      if (changed.length > 0) await updateCategories(caller, gateway.teamId, changed);
    });
  } finally {
    clearTimeout(timer);
  }
}

function find(categories: readonly SidebarCategory[], channelId: string) {
  const favorites = categories.find(({ type }) => type === "favorites");
  const present = categories.filter(({ channel_ids }) => channel_ids.includes(channelId));
  if (!favorites) throw new CodedError("backend_unreachable", { cause: new Error("no favorites category") });
  if (present.length === 0) throw new CodedError("not_found");
  return { favorites, others: present.filter((category) => category !== favorites) };
}

const without = (category: SidebarCategory, channelId: string): SidebarCategory => ({
  ...category,
  channel_ids: category.channel_ids.filter((id) => id !== channelId),
});

/** The old category is sent too: the backend would show the channel in both. */
function withFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites, others } = find(categories, channelId);
  if (favorites.channel_ids.includes(channelId)) return [];
  const channel_ids = [channelId, ...favorites.channel_ids];
  return [{ ...favorites, channel_ids }, ...others.map((category) => without(category, channelId))];
}

/** The backend itself puts it back where channels of its kind are. */
function withoutFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites } = find(categories, channelId);
  return favorites.channel_ids.includes(channelId) ? [without(favorites, channelId)] : [];
}

/** Mutes a channel, down to mentions, or unmutes it. @throws CodedError `not_found`, `forbidden` */
export function setMuted({ caller }: Session, channelId: string, isMuted: boolean): Promise<void> {
  return muteChannel(caller, channelId, isMuted);
}
