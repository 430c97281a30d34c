import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SettleResponse } from "../../lib/x402/types.ts";
import { balancesOf } from "../harness/balances-of.ts";
import { type SignedPayment, signPayment } from "../harness/sign-payment.ts";
import { type FacilitatorProcess, startFacilitatorProcess } from "../harness/start-facilitator-process.ts";
import { startRedis, type TestRedis } from "../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

const BUYERS = 20;

let chain: SandboxChain;
let redis: TestRedis;
let dataDir: string;
let pair: FacilitatorProcess[] = [];
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 300 });
  redis = await startRedis();
  dataDir = await mkdtemp(join(tmpdir(), "stranger-"));
});
afterEach(async () => {
  await Promise.all(pair.splice(0).map((one) => one.close()));
  await chain.close();
  await redis.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function startPair(kind: "sqlite" | "redis") {
  const store = kind === "redis" ? ({ kind, url: redis.url } as const) : ({ kind, dataDir } as const);
  const { chainId, urls: nodes } = chain;
  const start = () => startFacilitatorProcess({ nodes, chainId, store });
  pair = [await start(), await start()];
  return { pair, start };
}

type Transaction = SignedPayment["request"]["paymentPayload"]["payload"]["signedTransaction"];

/** Reads the blocks and posts every payment in them to every process, by itself and under a key, until it is stopped. */
function startStranger(targets: () => readonly FacilitatorProcess[], terms: SignedPayment["request"]) {
  const successes: SettleResponse[] = [];
  let isStopped = false;
  let posts = 0;
  const post = async (one: FacilitatorProcess, request: object, key?: string) => {
    const answer = await one.settle(request, key === undefined ? {} : { key }).catch(() => null);
    posts++;
    if (answer?.body.success) successes.push(answer.body);
  };
  const run = async () => {
    const seen = new Map<string, object>();
    for (let num = 1; !isStopped; ) {
      const block = (await chain.call("condenser_api.get_block", [num])) as {
        transactions: Transaction[];
      } | null;
      if (block) num++;
      for (const signedTransaction of block?.transactions ?? []) {
        const memo = /"memo":"x402:([^"]+)"/.exec(JSON.stringify(signedTransaction))?.[1];
        if (memo === undefined) continue;
        const request = structuredClone(terms);
        request.paymentPayload.payload = { signedTransaction, nonce: memo };
        seen.set(memo, request);
      }
      await Promise.all(
        [...seen.values()].flatMap((request) =>
          targets().flatMap((one) => [post(one, request), post(one, request, `made-up-${num}`)]),
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = run();
  return {
    successes,
    posts: () => posts,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

describe.each(["sqlite", "redis"] as const)(
  "a stranger who posts what blocks hold, on one %s store",
  (kind) => {
    test("gets no success from either of two facilitators, and every buyer does", async () => {
      const { pair } = await startPair(kind);
      const payments = await Promise.all(Array.from({ length: BUYERS }, () => signPayment(chain)));
      const stranger = startStranger(() => pair, (payments[0] as SignedPayment).request);
      const answers = await Promise.all(
        payments.map(({ request }, index) =>
          (pair[index % 2] as FacilitatorProcess).settleToTheEnd(request, { key: `secret-${index}` }),
        ),
      );
      await stranger.stop();
      expect(answers.filter(({ success }) => success)).toHaveLength(BUYERS);
      expect(stranger.posts()).toBeGreaterThan(0);
      expect(stranger.successes).toEqual([]);
      expect((await balancesOf(chain)).shop).toBe(50 * BUYERS);
    });

    test("gets none after a kill in the middle and a restart, and the buyer does", async () => {
      const { pair, start } = await startPair(kind);
      const [first, second] = pair as [FacilitatorProcess, FacilitatorProcess];
      await chain.holdTransactions(true);
      const payment = await signPayment(chain);
      const lost = first.settle(payment.request, { key: "secret" }).catch(() => "no answer");
      await expect
        .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: payment.txId }))
        .toEqual({ status: "within_mempool" });
      await Promise.all([first.close(), second.close()]);
      expect(await lost).toBe("no answer");
      await chain.holdTransactions(false);
      await expect.poll(async () => (await balancesOf(chain)).shop).toBe(50);
      const next = await start();
      pair.push(next);
      for (const key of [undefined, "made-up"])
        expect((await next.settle(payment.request, key === undefined ? {} : { key })).body).toMatchObject({
          errorReason: "settlement_pending",
        });
      expect(await next.settleToTheEnd(payment.request, { key: "secret" })).toMatchObject({ success: true });
    });
  },
);
