import { CodedError } from "../../errors.ts";
import { listCategories, type SidebarCategory, updateCategories } from "../../mattermost/preferences.ts";
import { withLock } from "../../store/lock.ts";
import type { CallerContext } from "../caller/caller-context.ts";

const LOCK_TIMEOUT_MS = 10_000;

/**
 * Adds a channel to the favourites or removes it. Writes only the affected categories, one change per PAT at
 * a time across processes, so that no concurrent change is lost.
 * @throws CodedError `not_found` if the caller is not a member
 */
export async function favoriteChannel(
  context: CallerContext,
  channelId: string,
  isFavorite: boolean,
): Promise<void> {
  const { caller, chat, patHash } = context;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(new CodedError("backend_timeout")), LOCK_TIMEOUT_MS);
  try {
    await withLock(chat.store, `lock:favorites:${patHash}`, waiting.signal, async () => {
      const categories = await listCategories(caller, chat.teamId);
      const changed = isFavorite
        ? withFavorite(categories, channelId)
        : withoutFavorite(categories, channelId);
      if (changed.length > 0) await updateCategories(caller, chat.teamId, changed);
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

/**
 * Returns the categories to change so that the channel is a favorite. The former category is sent too;
 * otherwise Mattermost would show the channel in both categories.
 */
function withFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites, others } = find(categories, channelId);
  if (favorites.channel_ids.includes(channelId)) return [];
  const channel_ids = [channelId, ...favorites.channel_ids];
  return [{ ...favorites, channel_ids }, ...others.map((category) => without(category, channelId))];
}

/**
 * Returns the categories to change so that the channel is no favorite. Mattermost itself moves it back to the
 * default category of its kind.
 */
function withoutFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites } = find(categories, channelId);
  return favorites.channel_ids.includes(channelId) ? [without(favorites, channelId)] : [];
}
