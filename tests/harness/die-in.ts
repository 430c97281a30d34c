import type { HiveClient } from "../../lib/hive/client.ts";
import type { Store } from "../../lib/store/store.ts";

/** Steps of a settlement, in their order: a process killed in one of them has done the steps before it. */
export const placesToDie = [
  "before the reservation",
  "after the reservation",
  "after the broadcast",
  "after the mark of the broadcast",
  "before the block is written down",
  "after the block is written down",
] as const;
export type PlaceToDie = (typeof placesToDie)[number];

/** The same store and client, but the process is killed on the spot when it comes to `place`. */
export function dieIn(place: PlaceToDie, { store, client }: { store: Store; client: HiveClient }) {
  const at = (here: PlaceToDie) => {
    if (here === place) process.kill(process.pid, "SIGKILL");
  };
  const stateOf = (value: string) => (JSON.parse(value) as { state?: string }).state;
  const mortalStore: Store = {
    ...store,
    async setAllIfAbsent(entries, ttlSeconds) {
      at("before the reservation");
      const isSet = await store.setAllIfAbsent(entries, ttlSeconds);
      at("after the reservation");
      return isSet;
    },
    async replace(key, expected, value, ttlSeconds) {
      if (stateOf(value) === "settled") at("before the block is written down");
      const isReplaced = await store.replace(key, expected, value, ttlSeconds);
      if (stateOf(value) === "broadcast") at("after the mark of the broadcast");
      if (stateOf(value) === "settled") at("after the block is written down");
      return isReplaced;
    },
  };
  const mortalClient: HiveClient = {
    ...client,
    async broadcast(transaction) {
      await client.broadcast(transaction);
      at("after the broadcast");
    },
  };
  return { store: mortalStore, client: mortalClient };
}
