import { createClient } from "redis";
import { expect, test } from "vitest";
import { createRedisStore } from "#lib/store/redis-store.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { startRedis } from "../../../harness/start-redis.ts";
import { startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

test("due payments are found without scanning all keys of the store", async () => {
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

test("an unreadable record is reported and does not hold up other payments", async () => {
  const chain = await startSandboxChain();
  const faults: unknown[] = [];
  const facilitator = await startFacilitator(chain, { waitMs: 50, onFault: (error) => faults.push(error) });
  const { store } = facilitator;
  try {
    const [damaged, sound] = [await signPayment(chain), await signPayment(chain)];
    for (const { request } of [damaged, sound])
      expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    const key = `x402:payment:${damaged.txId}`;
    const text = (await store.get(key)) ?? "";
    await store.replace(key, text, JSON.stringify({ ...JSON.parse(text), state: "of a later version" }), 600);
    await chain.produceBlocks();
    await facilitator.recover();
    expect(JSON.parse((await store.get(`x402:payment:${sound.txId}`)) ?? "")).toMatchObject({
      state: "settled",
    });
    expect(faults).toMatchObject([{ code: "degraded" }]);
    expect(await facilitator.settle(damaged.request).catch((error: unknown) => error)).toMatchObject({
      code: "degraded",
    });
  } finally {
    await facilitator.close();
    await chain.close();
  }
});
