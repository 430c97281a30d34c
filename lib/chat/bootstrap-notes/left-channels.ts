import { changeList, readList } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";

const keyOf = (userId: string) => `left:${userId}`;

/** Returns the ids of the channels that the user left and that bootstrap must not rejoin. */
export function listLeft(store: Store, userId: string): Promise<string[]> {
  return readList(store, keyOf(userId));
}

/** Records that the user left the channel. */
export function rememberLeft(store: Store, userId: string, channelId: string): Promise<void> {
  return changeList(store, keyOf(userId), (ids) => [...ids.filter((id) => id !== channelId), channelId]);
}

/** Forgets that the user left the channel, because they requested it again. */
export function forgetLeft(store: Store, userId: string, channelId: string): Promise<void> {
  return changeList(store, keyOf(userId), (ids) => ids.filter((id) => id !== channelId));
}
