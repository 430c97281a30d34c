import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFacilitator } from "#lib/x402/facilitator/index.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startRedis } from "../../../harness/start-redis.ts";
import { startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

const other = "c0de".padEnd(64, "0");
const nodes = ["http://127.0.0.1:9"];

test("a custom facilitator needs only a chain id, nodes and a store for its payments", async () => {
  const chain = await startSandboxChain({ blockIntervalMs: 100 });
  const redis = await startRedis();
  const dataDir = await mkdtemp(join(tmpdir(), "own-"));
  try {
    for (const place of [{ dataDir }, { redisUrl: redis.url }]) {
      const { chainId, urls: nodes } = chain;
      const facilitator = createFacilitator({ chainId, nodes, ...place });
      expect(facilitator.network).toBe("chain:sandbox");
      const { request, txId } = await signPayment(chain);
      expect(await facilitator.settle(request)).toMatchObject({ success: true, txId });
      expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed" });
      await facilitator.close();
    }
    expect(await readdir(dataDir)).toContain("hivegate.sqlite");
  } finally {
    await redis.close();
    await chain.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test.each([
  { finality: "final" as "included" },
  { twoNodesFrom: 100 as unknown as string },
  { twoNodesFrom: "100 HBD" },
  { waitMs: -1 },
  { pollMs: "soon" as unknown as number },
  { nodes: [] },
  { nodes: ["nowhere"] },
  { chainId: "beeab0de" },
  { chainId: other },
  { network: "chain:sandbox" },
  { network: "base", nodes },
  { network: "chain:mainnet", chainId: other, nodes },
  { dataDir: ".", redisUrl: "redis://127.0.0.1:9" },
  { finalitty: "irreversible" } as object,
])("a facilitator with %o is refused on creation", (options) => {
  expect(() => createFacilitator(options)).toThrow(TypeError);
});
