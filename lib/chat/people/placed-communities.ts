import type { Store } from "../../store/store.ts";
import { changeList, readList } from "../../store/stored-list.ts";

const keyOf = (userId: string) => `placed:${userId}`;

/**
 * The communities in whose channels an earlier bootstrap saw the user. One who is subscribed and no longer in the
 * channel has left it, or was put out, through some other client: such a channel is not joined again either.
 */
export function listPlaced(store: Store, userId: string): Promise<string[]> {
  return readList(store, keyOf(userId));
}

/** Remembers where the user is now; communities no longer subscribed to are forgotten. */
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
