import { CodedError } from "../../errors.ts";
import {
  type ChannelMember,
  listOwnMemberships,
  muteChannel,
  readOwnMembership,
  viewChannel,
} from "../../mattermost/channels.ts";
import { isRefusal } from "../../mattermost/exchange.ts";
import {
  listCategories,
  listPreferences,
  type Preference,
  type SidebarCategory,
  updateCategories,
} from "../../mattermost/preferences.ts";
import { withLock } from "../../store/lock.ts";
import { changeList, readList } from "../../store/stored-list.ts";
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

const keyOf = (userId: string) => `opened:${userId}`;

/** Before every message: what is in a channel that was opened empty is all new. */
const BEFORE_ALL_MS = 1;

/**
 * The caller's memberships in all channels. Newer backends don't note the opening of a channel in which nothing is
 * unread, so that one opened empty would look never opened for good: of those the gateway keeps its own note.
 */
export async function listMemberships({ caller, gateway }: Session): Promise<ChannelMember[]> {
  const members = await listOwnMemberships(caller, gateway.teamId);
  const unseen = members.find(({ last_viewed_at }) => last_viewed_at <= 0);
  if (unseen === undefined) return members;
  // A store that is away costs a mark in the list, not the list.
  const opened = new Set(await readList(gateway.store, keyOf(unseen.user_id)).catch(() => []));
  return members.map((member) =>
    member.last_viewed_at <= 0 && opened.has(member.channel_id)
      ? { ...member, last_viewed_at: BEFORE_ALL_MS }
      : member,
  );
}

/** Notes that the caller opened a channel, where the backend did not. */
async function rememberOpened({ gateway }: Session, member: ChannelMember): Promise<void> {
  if (member.last_viewed_at > 0) return;
  const { user_id, channel_id } = member;
  // The backend has marked it read all the same: no reason to fail.
  await changeList(gateway.store, keyOf(user_id), (ids) =>
    ids.includes(channel_id) ? ids : [...ids, channel_id],
  ).catch(() => undefined);
}

/** Forgets that the caller ever opened a channel, which is left: after another joining its history is no news. */
export function forgetOpened({ gateway }: Session, userId: string, channelId: string): Promise<void> {
  return changeList(gateway.store, keyOf(userId), (ids) => ids.filter((id) => id !== channelId));
}

/** Marks a channel read, and its threads where they are not kept apart. @throws CodedError `not_found` when the caller is no member */
export async function markViewed(session: Session, channelId: string): Promise<void> {
  const { caller } = session;
  const isCollapsed = await collapsesThreads(session);
  try {
    // The backend says "OK" to channels of others too, and newer ones to those that don't exist.
    const [member] = await Promise.all([
      readOwnMembership(caller, channelId),
      viewChannel(caller, channelId, isCollapsed),
    ]);
    await rememberOpened(session, member);
  } catch (error) {
    const isOutside = error instanceof CodedError && error.code === "forbidden";
    if (isOutside || isRefusal(error, "app.channel.update_last_viewed_at.app_error"))
      throw new CodedError("not_found", { cause: error });
    throw error;
  }
}

/**
 * Whether replies count apart from their channel for the caller ("collapsed threads"): as the backend says, and where it
 * leaves that to its users as they say. `preferences` are the caller's own, where they are read anyway.
 * @throws CodedError
 */
export async function collapsesThreads(
  session: Session,
  preferences?: Promise<readonly Preference[]>,
): Promise<boolean> {
  const { caller, gateway, patHash } = session;
  const { isOn, isUsersChoice } = await gateway.threadsSetting();
  if (!isUsersChoice) return isOn;
  const known = preferences ? undefined : gateway.caches.collapsesThreads.get(patHash);
  if (known !== undefined) return known;
  const choice = (await (preferences ?? listPreferences(caller))).find(
    ({ category, name }) => category === "display_settings" && name === "collapsed_reply_threads",
  );
  const isWanted = choice === undefined ? isOn : choice.value === "on";
  gateway.caches.collapsesThreads.set(patHash, isWanted);
  return isWanted;
}
