import { changeList, readList } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";

const keyOf = (userId: string) => `placed:${userId}`;

/**
 * Lists the communities in whose channels an earlier bootstrap saw the user. A subscriber who is no longer in
 * such a channel left it or was removed from it in another client, so it is not joined again either.
 */
export function listPlaced(store: Store, userId: string): Promise<string[]> {
  return readList(store, keyOf(userId));
}

/** Records the channels where the user is now, and forgets communities they no longer subscribe to. */
export function rememberPlaced(
  store: Store,
  userId: string,
  memberOf: readonly string[],
  subscribed: readonly string[],
): Promise<void> {
  return changeList(store, keyOf(userId), (placed) => {
    const kept = placed.filter((name) => subscribed.includes(name));
    return [...kept, ...memberOf.filter((name) => !kept.includes(name))];
  });
}
