import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { balancesOf } from "../harness/balances-of.ts";
import { signPayment } from "../harness/sign-payment.ts";
import {
  type FacilitatorProcess,
  type FacilitatorProcessOptions,
  startFacilitatorProcess,
} from "../harness/start-facilitator-process.ts";
import { startRedis, type TestRedis } from "../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let redis: TestRedis;
let dataDir: string;
let pair: FacilitatorProcess[] = [];
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100, extraNodes: 1 });
  redis = await startRedis();
  dataDir = await mkdtemp(join(tmpdir(), "racing-"));
});
afterEach(async () => {
  await Promise.all(pair.splice(0).map((one) => one.close()));
  await chain.close();
  await redis.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts two processes over one store, each of which prefers a different node of the chain. */
async function startPair(kind: "sqlite" | "redis") {
  const store: FacilitatorProcessOptions["store"] =
    kind === "redis" ? { kind, url: redis.url } : { kind, dataDir };
  const { chainId, urls } = chain;
  pair = await Promise.all(
    [urls, [...urls].reverse()].map((nodes) => startFacilitatorProcess({ nodes, chainId, store })),
  );
  return pair;
}

describe.each(["sqlite", "redis"] as const)("two facilitators on one %s store", (kind) => {
  test("return one success between them, and the money moves once", async () => {
    const both = await startPair(kind);
    for (let round = 1; round <= 3; round++) {
      const { request, txId } = await signPayment(chain);
      const callers = [...both, ...both, ...both, ...both];
      const answers = await Promise.all(callers.map((one) => one.settleToTheEnd(request)));
      const won = answers.filter(({ success }) => success);
      expect(won).toHaveLength(1);
      expect(won[0]?.txId).toBe(txId);
      for (const { success, errorReason } of answers)
        if (!success) expect(errorReason).toBe("payment_replayed");
      expect((await balancesOf(chain)).shop).toBe(50 * round);
    }
  });

  test("return the same success for the same key", async () => {
    const both = await startPair(kind);
    const { request } = await signPayment(chain);
    const answers = await Promise.all(both.map((one) => one.settleToTheEnd(request, { key: "order" })));
    expect(answers[0]).toMatchObject({ success: true });
    expect(answers[1]).toEqual(answers[0]);
    expect((await balancesOf(chain)).shop).toBe(50);
  });

  test("finish a settlement that the other one was killed in", async () => {
    const [first, second] = await startPair(kind);
    await chain.holdTransactions(true);
    const { request, txId } = await signPayment(chain);
    const lost = first?.settle(request).catch(() => "no answer");
    const status = async () =>
      (await chain.call("transaction_status_api.find_transaction", { transaction_id: txId })) as object;
    await expect.poll(status).toEqual({ status: "within_mempool" });
    await first?.close();
    expect(await lost).toBe("no answer");
    await chain.holdTransactions(false);
    expect(await second?.settleToTheEnd(request)).toMatchObject({ success: true, txId });
    expect((await balancesOf(chain)).shop).toBe(50);
  });
});
