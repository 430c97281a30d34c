import type { ChannelMember } from "../../mattermost/channels.ts";
import { changeList, readList } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";
import type { CallerContext } from "../caller/caller-context.ts";

const openedKeyOf = (userId: string) => `opened:${userId}`;

const joinedKeyOf = (userId: string) => `joined:${userId}`;

/**
 * In a user's list, marks that bootstraps have recorded the communities they join. If such a list lacks a
 * community channel, another user added the user to it.
 */
export const COMMUNITIES = "communities";

/**
 * Returns the channels that the user opened, and those that a bootstrap or the user chose, if the user is
 * still in them.
 */
export async function readOpened(
  store: Store,
  userId: string,
  current: ReadonlySet<string>,
): Promise<{ opened: ReadonlySet<string>; joined: ReadonlySet<string> }> {
  const [opened, joined] = await Promise.all([
    readNotes(store, openedKeyOf(userId), current),
    readNotes(store, joinedKeyOf(userId), current),
  ]);
  return { opened, joined };
}

/**
 * Returns the channels recorded under a key that the user is still in, and forgets the others, to which the
 * user may be added again. If the store is unreachable, the channel list still loads, without these records.
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

/** Records that the caller opened a channel, if Mattermost did not. */
export async function rememberOpened({ chat }: CallerContext, member: ChannelMember): Promise<void> {
  if (member.last_viewed_at > 0) return;
  const { user_id, channel_id } = member;
  // Mattermost has marked the channel read anyway, so a failure here is ignored.
  await addTo(chat.store, openedKeyOf(user_id), channel_id).catch(() => undefined);
}

/** Records that the caller chose to be in a channel, so that its history does not count as new. */
export function rememberJoined({ chat }: CallerContext, userId: string, channelId: string): Promise<void> {
  return addTo(chat.store, joinedKeyOf(userId), channelId);
}

/**
 * Records which community channels a bootstrap `joined` for the user, so that their history does not count as
 * new. The first call records all channels that the user is in (`present`), because it is unknown who added
 * the user to them.
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

/** Forgets that the caller joined or opened a channel, because they left it. */
export async function forgetOpened(
  { chat }: CallerContext,
  userId: string,
  channelId: string,
): Promise<void> {
  const without = (ids: readonly string[]) => ids.filter((id) => id !== channelId);
  await Promise.all(
    [openedKeyOf(userId), joinedKeyOf(userId)].map((key) => changeList(chat.store, key, without)),
  );
}

function addTo(store: Store, key: string, channelId: string): Promise<void> {
  return changeList(store, key, (ids) => (ids.includes(channelId) ? ids : [...ids, channelId]));
}
