import type { Store } from "../../store/store.ts";
import { changeList, readList } from "../../store/stored-list.ts";

const keyOf = (userId: string) => `left:${userId}`;

/** The ids of the channels that the user left and that no bootstrap may put them back into. */
export function listLeft(store: Store, userId: string): Promise<string[]> {
  return readList(store, keyOf(userId));
}

/** Remembers that the user left the channel. */
export function rememberLeft(store: Store, userId: string, channelId: string): Promise<void> {
  return changeList(store, keyOf(userId), (ids) => [...ids.filter((id) => id !== channelId), channelId]);
}

/** Forgets that the user left the channel, since they asked for it again. */
export function forgetLeft(store: Store, userId: string, channelId: string): Promise<void> {
  return changeList(store, keyOf(userId), (ids) => ids.filter((id) => id !== channelId));
}
