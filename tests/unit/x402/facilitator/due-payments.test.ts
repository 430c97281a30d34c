import { createClient } from "redis";
import { expect, test } from "vitest";
import { createRedisStore } from "../../../../lib/store/redis-store.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { startRedis } from "../../../harness/start-redis.ts";
import { startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

test("payments that are due are found without a walk through all keys of the store", async () => {
  const chain = await startSandboxChain();
  const redis = await startRedis();
  const store = await createRedisStore({ url: redis.url });
  const client = await createClient({ url: redis.url }).connect();
  const facilitator = await startFacilitator(chain, { store, waitMs: 50 });
  try {
    await facilitator.recover();
    const { request, txId } = await signPayment(chain);
    await facilitator.settle(request);
    await chain.produceBlocks();
    await client.configResetStat();
    await facilitator.recover();
    expect(await facilitator.settle(request)).toMatchObject({ success: true, txId });
    const used = await client.info("commandstats");
    expect(used).toContain("cmdstat_zrangebyscore:");
    expect(used).not.toMatch(/cmdstat_(scan|keys):/);
  } finally {
    client.destroy();
    await facilitator.close();
    await store.close();
    await redis.close();
    await chain.close();
  }
});
