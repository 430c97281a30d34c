import type { HiveClient } from "../../lib/hive/client.ts";
import type { Change, Store } from "../../lib/store/store.ts";

/** Steps of a settlement, in order. A process killed in one of them has completed the steps before it. */
export const placesToDie = [
  "before the reservation",
  "after the reservation",
  "after the broadcast",
  "after the mark of the broadcast",
  "before the block is written down",
  "after the block is written down",
] as const;
export type PlaceToDie = (typeof placesToDie)[number];

/** Wraps a store and a client so that the process is killed immediately when it reaches `place`. */
export function dieIn(place: PlaceToDie, { store, client }: { store: Store; client: HiveClient }) {
  const at = (here: PlaceToDie) => {
    if (here === place) process.kill(process.pid, "SIGKILL");
  };
  const stateAfter = ({ set = [] }: Change) => {
    const [[, value] = ["", "{}"]] = set;
    return (JSON.parse(value) as { state?: string }).state;
  };
  const mortalStore: Store = {
    ...store,
    async commit(change) {
      const state = stateAfter(change);
      if (state === "reserved") at("before the reservation");
      if (state === "settled") at("before the block is written down");
      const isDone = await store.commit(change);
      if (state === "reserved") at("after the reservation");
      if (state === "broadcast") at("after the mark of the broadcast");
      if (state === "settled") at("after the block is written down");
      return isDone;
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
