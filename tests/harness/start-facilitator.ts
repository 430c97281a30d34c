import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHiveClient } from "../../lib/hive/client.ts";
import { createSqliteStore } from "../../lib/store/sqlite-store.ts";
import type { Store } from "../../lib/store/store.ts";
import { createFacilitator, type FacilitatorOptions } from "../../lib/x402/facilitator/index.ts";

type Chain = { chainId: string; urls: readonly string[] };

type Options = Partial<FacilitatorOptions> & {
  /**
   * Limit of one attempt at a node, for nodes that hang. The default is the product's, so that on a busy
   * machine no node counts as dead.
   */
  attemptMs?: number;
};

/**
 * Starts a facilitator over an embedded chain in this process, with a new SQLite file unless a store is
 * given.
 */
export async function startFacilitator(chain: Chain, { attemptMs, ...options }: Options = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "facilitator-"));
  const store: Store = options.store ?? createSqliteStore({ dataDir });
  const client = createHiveClient({
    nodes: chain.urls,
    chainId: chain.chainId,
    ...(attemptMs !== undefined && { timeoutMs: attemptMs }),
  });
  const facilitator = createFacilitator({
    client,
    waitMs: 60_000,
    pollMs: 20,
    ...options,
    store,
  });
  return {
    ...facilitator,
    store,
    async close() {
      await facilitator.close();
      await client.close();
      if (!options.store) await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
