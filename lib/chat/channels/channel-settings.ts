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
 * Adds a channel to the favourites or removes it. Writes only the affected categories, and one change per caller at a
 * time across processes, so that concurrent changes all persist.
 * @throws CodedError `not_found` if the caller is not a member
 */
export async function favoriteChannel(
  session: Session,
  channelId: string,
  isFavorite: boolean,
): Promise<void> {
  const { caller, chat, patHash } = session;
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

/** The former category is sent too; otherwise Mattermost would show the channel in both. */
function withFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites, others } = find(categories, channelId);
  if (favorites.channel_ids.includes(channelId)) return [];
  const channel_ids = [channelId, ...favorites.channel_ids];
  return [{ ...favorites, channel_ids }, ...others.map((category) => without(category, channelId))];
}

/** Mattermost itself moves the channel back to the default category of its kind. */
function withoutFavorite(categories: readonly SidebarCategory[], channelId: string): SidebarCategory[] {
  const { favorites } = find(categories, channelId);
  return favorites.channel_ids.includes(channelId) ? [without(favorites, channelId)] : [];
}

/**
 * Mutes a channel (except for mentions) or unmutes it, and sets its notifications. Absent fields stay as they are. One
 * Mattermost call.
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

/**
 * Marks the list of a user whose community joins bootstraps record. Community channels missing from it are ones that
 * others added the user to.
 */
const COMMUNITIES = "communities";

/** Earlier than any message: everything in a channel that was empty when opened is new. */
const BEFORE_ALL_MS = 1;

/** The public channels that Mattermost adds everyone to. */
const forEverybody: ReadonlySet<string> = new Set(["town-square", "off-topic"]);

/**
 * Lists the caller's memberships in all channels. A channel that was never opened (`last_viewed_at` 0) and that a
 * bootstrap, Mattermost or the caller chose has no news. Two kinds do: channels opened while empty, which newer
 * Mattermost versions do not record, so the gateway does; and channels that another user added the caller to.
 */
export async function listMemberships(
  { caller, chat }: Session,
  channels: Promise<readonly Channel[]>,
): Promise<ChannelMember[]> {
  const [members, ownChannels] = await Promise.all([listOwnMemberships(caller, chat.teamId), channels]);
  // Everyone is in some channel; an empty answer may come from a Mattermost that lost its database.
  if (members.length === 0 || ownChannels.length === 0) await believeEmpty(chat);
  const [userId] = members.map(({ user_id }) => user_id);
  if (userId === undefined) return members;
  const current = new Set(members.map(({ channel_id }) => channel_id));
  const readNoted = (key: string) => readNotes(chat.store, key, current);
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
  const mentions = await findCountedAddings({ caller, chat }, userId, { added, current });
  return members.map((member) => {
    const { channel_id, last_viewed_at } = member;
    if (last_viewed_at > 0) return member;
    if (opened.has(channel_id)) return { ...member, last_viewed_at: BEFORE_ALL_MS };
    if (!mayBeAdded.has(channel_id)) return member;
    return { ...(mentions.has(channel_id) ? withoutAdding(member) : member), last_viewed_at: BEFORE_ALL_MS };
  });
}

/** Maximum channels to check per listing; the next listing continues. */
const MOST_ASKED = 10;

/**
 * Returns the channels in which being added by others counts as a mention. Most such additions do not, because plugins,
 * groups and converted conversations add people silently. Each channel is checked once, and only if something counts in
 * it.
 */
async function findCountedAddings(
  { caller, chat: { caches } }: Pick<Session, "caller" | "chat">,
  userId: string,
  { added, current }: { added: readonly ChannelMember[]; current: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const known = new Map([...(caches.addings.get(userId) ?? [])].filter(([id]) => current.has(id)));
  const asked = added
    .filter(({ channel_id, mention_count_root }) => mention_count_root > 0 && !known.has(channel_id))
    .slice(0, MOST_ASKED);
  await Promise.all(
    asked.map(async ({ channel_id }) => {
      // If the check fails, the addition counts, as in Mattermost, and is checked again.
      const isCounted = await wasAddedByPost(caller, channel_id, userId).catch(() => undefined);
      if (isCounted !== undefined) known.set(channel_id, isCounted);
    }),
  );
  caches.addings.set(userId, known);
  return new Set([...known].flatMap(([id, isCounted]) => (isCounted ? [id] : [])));
}

/**
 * Returns the channels recorded under a key that the user is still in. A channel that others removed them from may be
 * added again. If the store is unreachable, the list lacks a mark but still loads.
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

/** Returns whether people enter a channel only when others add them, unless they are recorded as having joined. */
function takesMembers({ type, name }: Channel, joined: ReadonlySet<string>): boolean {
  if (type === "O") return isCommunityName(name) ? joined.has(COMMUNITIES) : !forEverybody.has(name);
  return type === "P";
}

/** Subtracts the mention for being added, which no message is behind. */
function withoutAdding(member: ChannelMember): ChannelMember {
  return {
    ...member,
    mention_count: Math.max(0, member.mention_count - 1),
    mention_count_root: Math.max(0, member.mention_count_root - 1),
  };
}

/** Records that the caller opened a channel, if Mattermost did not. */
async function rememberOpened({ chat }: Session, member: ChannelMember): Promise<void> {
  if (member.last_viewed_at > 0) return;
  const { user_id, channel_id } = member;
  // Mattermost has marked the channel read anyway, so this is no reason to fail.
  await addTo(chat.store, openedKeyOf(user_id), channel_id).catch(() => undefined);
}

/** Records that the caller chose to be in a channel, whose history is therefore not news. */
export function rememberJoined({ chat }: Session, userId: string, channelId: string): Promise<void> {
  return addTo(chat.store, joinedKeyOf(userId), channelId);
}

/**
 * Records which community channels a bootstrap `joined` for the user, whose history is therefore not news. The first
 * time, records all channels the user is in (`present`), because it is unknown who added the user to them.
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

/**
 * Forgets that the caller joined or opened a channel, because they left it: after a new join its history is not news.
 */
export async function forgetOpened({ chat }: Session, userId: string, channelId: string): Promise<void> {
  const without = (ids: readonly string[]) => ids.filter((id) => id !== channelId);
  await Promise.all(
    [openedKeyOf(userId), joinedKeyOf(userId)].map((key) => changeList(chat.store, key, without)),
  );
}

function addTo(store: Store, key: string, channelId: string): Promise<void> {
  return changeList(store, key, (ids) => (ids.includes(channelId) ? ids : [...ids, channelId]));
}

/**
 * Marks a channel read, and its threads unless they are counted separately. @throws CodedError `not_found` if the
 * caller is not a member
 */
export async function markViewed(session: Session, channelId: string): Promise<void> {
  const { caller } = session;
  const isCollapsed = await collapsesThreads(session);
  // Mattermost answers "OK" for channels of others too, and newer versions even for channels that do not exist.
  const [member] = await notFoundIfForbidden(
    Promise.all([readOwnMembership(caller, channelId), viewChannel(caller, channelId, isCollapsed)]),
    "app.channel.update_last_viewed_at.app_error",
  );
  await rememberOpened(session, member);
}

/**
 * Returns whether replies count apart from their channel for the caller ("collapsed threads"). Mattermost decides, or
 * leaves the choice to users. Their choice is cached briefly; `readChoices` returns the caller's current preferences,
 * for answers that report them.
 * @throws CodedError
 */
export async function collapsesThreads(
  session: Session,
  readChoices?: () => Promise<readonly Preference[]>,
): Promise<boolean> {
  const { caller, chat, patHash } = session;
  const { isOn, isUsersChoice } = await chat.threadsSetting();
  if (!isUsersChoice) return isOn;
  const known = readChoices ? undefined : chat.caches.collapsesThreads.get(patHash);
  if (known !== undefined) return known ?? isOn;
  const choice = (await (readChoices?.() ?? listPreferences(caller))).find(
    ({ category, name }) => category === "display_settings" && name === "collapsed_reply_threads",
  );
  const isWanted = choice === undefined ? null : choice.value === "on";
  chat.caches.collapsesThreads.set(patHash, isWanted);
  return isWanted ?? isOn;
}
