import { createHiveClient, type HiveClient } from "../../lib/hive/client.ts";
import { createSqliteStore } from "../../lib/store/sqlite-store.ts";
import type { Store } from "../../lib/store/store.ts";
import { createPacedRefunds, type Refund } from "../../lib/x402/refunds/paced-refunds.ts";
import type { RefundProcessOptions } from "./start-refund-process.ts";

/** The child of `startRefundProcess`. Its first argument contains its options as JSON. */
const { dataDir, account, activeKey, nodes, chainId, txId, diesAt } = JSON.parse(
  process.argv[2] ?? "{}",
) as RefundProcessOptions;

const at = (here: RefundProcessOptions["diesAt"]) => {
  if (here === diesAt) process.kill(process.pid, "SIGKILL");
};
const store = createSqliteStore({ dataDir });
const mortalStore: Store = {
  ...store,
  async commit(change) {
    const [[, value] = ["", "{}"]] = change.set ?? [];
    const { state } = JSON.parse(value) as { state?: string };
    at(state === "done" ? "before the block is written down" : "before the record");
    const isDone = await store.commit(change);
    at(state === "done" ? "after the block is written down" : "after the record");
    return isDone;
  },
};
const client = createHiveClient({ nodes, chainId });
const mortalClient: HiveClient = {
  ...client,
  async broadcast(transaction, options) {
    await client.broadcast(transaction, options);
    at("after the broadcast");
  },
};
const refunds = createPacedRefunds(
  { account, activeKey, store: mortalStore, client: mortalClient },
  { waitMs: 60_000, pollMs: 20 },
);

let refund: Refund | null = null;
while (refund?.state !== "done")
  refund = await refunds.refund(txId, "out of order").catch((error: { code?: string }) => {
    if (error.code !== "payment_not_final") throw error;
    return null;
  });
process.send?.(refund, () => process.exit(0));
