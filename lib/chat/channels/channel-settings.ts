import type { NotifyLevel } from "../../contract/examples.ts";
import { CodedError } from "../../errors.ts";
import { isCommunityName } from "../../hive/bridge.ts";
import {
  type Channel,
  type ChannelMember,
  changeNotifyProps,
  listOwnMemberships,
  readOwnMembership,
  viewChannel,
  wasAddedByPost,
} from "../../mattermost/channels.ts";
import { notFoundIfForbidden } from "../../mattermost/exchange.ts";
import {
  listCategories,
  listPreferences,
  type Preference,
  type SidebarCategory,
  updateCategories,
} from "../../mattermost/preferences.ts";
import { changeList, readList, withLock } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";
import { believeEmpty } from "../access/explain-failure.ts";
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

/** The old category is sent too: Mattermost would show the channel in both. */
function withFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites, others } = find(categories, channelId);
  if (favorites.channel_ids.includes(channelId)) return [];
  const channel_ids = [channelId, ...favorites.channel_ids];
  return [{ ...favorites, channel_ids }, ...others.map((category) => without(category, channelId))];
}

/** Mattermost itself puts it back where channels of its kind are. */
function withoutFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites } = find(categories, channelId);
  return favorites.channel_ids.includes(channelId) ? [without(favorites, channelId)] : [];
}

/**
 * Mutes a channel, down to mentions, or unmutes it, and sets what notifies; what is absent stays. One Mattermost call.
 * @throws CodedError `not_found`, `forbidden`
 */
export function setAttention(
  { caller }: Session,
  channelId: string,
  { mute, notifyLevel }: { mute?: boolean | undefined; notifyLevel?: NotifyLevel | undefined },
): Promise<void> {
  return changeNotifyProps(caller, channelId, {
    ...(mute !== undefined && { mark_unread: mute ? "mention" : "all" }),
    ...(notifyLevel !== undefined && { desktop: notifyLevel }),
  });
}

const openedKeyOf = (userId: string) => `opened:${userId}`;
const joinedKeyOf = (userId: string) => `joined:${userId}`;

/** Stands among the channels that a user chose since bootstraps note theirs there: others of communities are no choice. */
const COMMUNITIES = "communities";

/** A time before every message: all that is in a channel that was opened empty is new. */
const BEFORE_ALL_MS = 1;

/** The public channels that a Mattermost puts everybody into. */
const forEverybody: ReadonlySet<string> = new Set(["town-square", "off-topic"]);

/**
 * The caller's memberships in all channels. Of those never opened two kinds have news all the same: what was opened while
 * it was empty, which newer versions don't note, so that the gateway keeps its own note; and what somebody else put the
 * caller into. What a bootstrap, Mattermost or the caller chose has none until it is opened (`last_viewed_at` 0).
 */
export async function listMemberships(
  { caller, gateway }: Session,
  channels: Promise<readonly Channel[]>,
): Promise<ChannelMember[]> {
  const [members, ownChannels] = await Promise.all([listOwnMemberships(caller, gateway.teamId), channels]);
  // Everybody is in some channel, which a Mattermost that lost its database may not know.
  if (members.length === 0 || ownChannels.length === 0) await believeEmpty(gateway);
  const [userId] = members.map(({ user_id }) => user_id);
  if (userId === undefined) return members;
  const current = new Set(members.map(({ channel_id }) => channel_id));
  const readNoted = (key: string) => readNotes(gateway.store, key, current);
  const [opened, joined] = await Promise.all([
    readNoted(openedKeyOf(userId)),
    readNoted(joinedKeyOf(userId)),
  ]);
  const mayBeAdded = new Set(
    ownChannels
      .filter((channel) => takesMembers(channel, joined) && !joined.has(channel.id))
      .map(({ id }) => id),
  );
  const added = members.filter(
    ({ channel_id, last_viewed_at }) =>
      last_viewed_at <= 0 && !opened.has(channel_id) && mayBeAdded.has(channel_id),
  );
  const mentions = await findCountedAddings({ caller, gateway }, userId, { added, current });
  return members.map((member) => {
    const { channel_id, last_viewed_at } = member;
    if (last_viewed_at > 0) return member;
    if (opened.has(channel_id)) return { ...member, last_viewed_at: BEFORE_ALL_MS };
    if (!mayBeAdded.has(channel_id)) return member;
    return { ...(mentions.has(channel_id) ? withoutAdding(member) : member), last_viewed_at: BEFORE_ALL_MS };
  });
}

/** So many channels are asked about at once; the others' turn is the next listing. */
const MOST_ASKED = 10;

/**
 * Those of the channels that others put the caller into where that counts as a mention: by far not all, as plugins, groups
 * and conversations that become channels add people without a word. Each channel is asked about once, and only when
 * something counts in it.
 */
async function findCountedAddings(
  { caller, gateway: { caches } }: Pick<Session, "caller" | "gateway">,
  userId: string,
  { added, current }: { added: readonly ChannelMember[]; current: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const known = new Map([...(caches.addings.get(userId) ?? [])].filter(([id]) => current.has(id)));
  const asked = added
    .filter(({ channel_id, mention_count_root }) => mention_count_root > 0 && !known.has(channel_id))
    .slice(0, MOST_ASKED);
  await Promise.all(
    asked.map(async ({ channel_id }) => {
      // What can't be told counts, as it does at Mattermost, and is asked again.
      const isCounted = await wasAddedByPost(caller, channel_id, userId).catch(() => undefined);
      if (isCounted !== undefined) known.set(channel_id, isCounted);
    }),
  );
  caches.addings.set(userId, known);
  return new Set([...known].flatMap(([id, isCounted]) => (isCounted ? [id] : [])));
}

/**
 * The channels noted under a key that the user still is in: one that others took them out of they may be put into again.
 * A store that is away costs a mark in the list, not the list.
 */
async function readNotes(
  store: Store,
  key: string,
  current: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const isKept = (id: string) => id === COMMUNITIES || current.has(id);
  const noted = await readList(store, key).catch(() => []);
  if (!noted.every(isKept)) await changeList(store, key, (ids) => ids.filter(isKept)).catch(() => undefined);
  return new Set(noted.filter(isKept));
}

/** Returns whether people come into a channel by the hand of others alone, unless they are known to have joined it. */
function takesMembers({ type, name }: Channel, joined: ReadonlySet<string>): boolean {
  if (type === "O") return isCommunityName(name) ? joined.has(COMMUNITIES) : !forEverybody.has(name);
  return type === "P";
}

/** An adding is a mention that no message is behind. */
function withoutAdding(member: ChannelMember): ChannelMember {
  return {
    ...member,
    mention_count: Math.max(0, member.mention_count - 1),
    mention_count_root: Math.max(0, member.mention_count_root - 1),
  };
}

/** Notes that the caller opened a channel, where Mattermost did not. */
async function rememberOpened({ gateway }: Session, member: ChannelMember): Promise<void> {
  if (member.last_viewed_at > 0) return;
  const { user_id, channel_id } = member;
  // Mattermost has marked it read all the same: no reason to fail.
  await addTo(gateway.store, openedKeyOf(user_id), channel_id).catch(() => undefined);
}

/** Notes that the caller chose to be in a channel, whose history is no news. */
export function rememberJoined({ gateway }: Session, userId: string, channelId: string): Promise<void> {
  return addTo(gateway.store, joinedKeyOf(userId), channelId);
}

/**
 * Notes which channels of communities a bootstrap `joined` for the user, whose history is no news; the first time all
 * that the user is in (`present`), as nobody knows by whose hand.
 */
export function rememberBootstrapped(
  store: Store,
  userId: string,
  present: readonly string[],
  joined: readonly string[],
): Promise<void> {
  return changeList(store, joinedKeyOf(userId), (ids) => {
    const chosen = ids.includes(COMMUNITIES) ? joined : [COMMUNITIES, ...present];
    return [...ids, ...chosen.filter((id) => !ids.includes(id))];
  });
}

/** Forgets that the caller ever joined or opened a channel, which is left: after another joining its history is no news. */
export async function forgetOpened({ gateway }: Session, userId: string, channelId: string): Promise<void> {
  const without = (ids: readonly string[]) => ids.filter((id) => id !== channelId);
  await Promise.all(
    [openedKeyOf(userId), joinedKeyOf(userId)].map((key) => changeList(gateway.store, key, without)),
  );
}

function addTo(store: Store, key: string, channelId: string): Promise<void> {
  return changeList(store, key, (ids) => (ids.includes(channelId) ? ids : [...ids, channelId]));
}

/** Marks a channel read, and its threads where they are not kept apart. @throws CodedError `not_found` when the caller is no member */
export async function markViewed(session: Session, channelId: string): Promise<void> {
  const { caller } = session;
  const isCollapsed = await collapsesThreads(session);
  // Mattermost says "OK" to channels of others too, and newer ones to those that don't exist.
  const [member] = await notFoundIfForbidden(
    Promise.all([readOwnMembership(caller, channelId), viewChannel(caller, channelId, isCollapsed)]),
    "app.channel.update_last_viewed_at.app_error",
  );
  await rememberOpened(session, member);
}

/**
 * Whether replies count apart from their channel for the caller ("collapsed threads"): as Mattermost says, and where it
 * leaves that to its users as they say: as they said a moment ago, or by `readChoices`, the caller's preferences as they
 * are now, for answers that tell it.
 * @throws CodedError
 */
export async function collapsesThreads(
  session: Session,
  readChoices?: () => Promise<readonly Preference[]>,
): Promise<boolean> {
  const { caller, gateway, patHash } = session;
  const { isOn, isUsersChoice } = await gateway.threadsSetting();
  if (!isUsersChoice) return isOn;
  const known = readChoices ? undefined : gateway.caches.collapsesThreads.get(patHash);
  if (known !== undefined) return known ?? isOn;
  const choice = (await (readChoices?.() ?? listPreferences(caller))).find(
    ({ category, name }) => category === "display_settings" && name === "collapsed_reply_threads",
  );
  const isWanted = choice === undefined ? null : choice.value === "on";
  gateway.caches.collapsesThreads.set(patHash, isWanted);
  return isWanted ?? isOn;
}
