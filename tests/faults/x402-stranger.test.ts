import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SettleResponse } from "../../lib/x402/types.ts";
import { balancesOf } from "../harness/balances-of.ts";
import { type SignedPayment, signPayment } from "../harness/sign-payment.ts";
import { type FacilitatorProcess, startFacilitatorProcess } from "../harness/start-facilitator-process.ts";
import { startGatewayProcess } from "../harness/start-gateway-process.ts";
import { startRedis, type TestRedis } from "../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { buy } from "../harness/use-services.ts";

const BUYERS = 20;
const GATEWAY_BUYERS = 6;

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

/** Settles as a shop would, with or without a key. */
type Target = (request: object, given: { key?: string }) => Promise<{ body: SettleResponse }>;

const MOST_AT_ONCE = 100;

/**
 * Reads the blocks, and posts every included payment to every process, with and without a key, until it is
 * stopped.
 */
function startStranger(targets: () => readonly Target[], terms: SignedPayment["request"]) {
  const successes: SettleResponse[] = [];
  const open = new Set<Promise<void>>();
  let isStopped = false;
  let posts = 0;
  const post = async (settle: Target, request: object, key?: string) => {
    const answer = await settle(request, key === undefined ? {} : { key }).catch(() => null);
    posts++;
    if (answer?.body.success) successes.push(answer.body);
  };
  const postEverywhere = (request: object, round: number) => {
    for (const settle of targets())
      for (const key of [undefined, `made-up-${round}`]) {
        const posting = post(settle, request, key).finally(() => open.delete(posting));
        open.add(posting);
      }
  };
  const run = async () => {
    const seen: object[] = [];
    for (let num = 1, round = 0; !isStopped; round++) {
      const block = (await chain.call("condenser_api.get_block", [num])) as {
        transactions: Transaction[];
      } | null;
      if (block) num++;
      for (const signedTransaction of block?.transactions ?? []) {
        const memo = /"memo":"x402:([^"]+)"/.exec(JSON.stringify(signedTransaction))?.[1];
        if (memo === undefined) continue;
        const request = structuredClone(terms);
        request.paymentPayload.payload = { signedTransaction, nonce: memo };
        postEverywhere(request, round);
        seen.push(request);
      }
      if (open.size < MOST_AT_ONCE) for (const request of seen) postEverywhere(request, round);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await Promise.all(open);
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
  "a stranger who submits payments copied from blocks, on one %s store",
  (kind) => {
    test("gets no success from two facilitators, while every buyer does", async () => {
      const { pair } = await startPair(kind);
      // The chain's clock runs ten times as fast as the machine's.
      const lasting = { livesSeconds: 240 };
      const payments = await Promise.all(Array.from({ length: BUYERS }, () => signPayment(chain, lasting)));
      const stranger = startStranger(
        () => pair.map(({ settle }) => settle),
        (payments[0] as SignedPayment).request,
      );
      const answers = await Promise.all(
        payments.map(({ request }, index) =>
          (pair[index % 2] as FacilitatorProcess).settleToTheEnd(request, { key: `secret-${index}` }),
        ),
      );
      await expect.poll(() => stranger.posts()).toBeGreaterThan(0);
      await stranger.stop();
      expect(answers.filter(({ success }) => success)).toHaveLength(BUYERS);
      expect(stranger.successes).toEqual([]);
      expect((await balancesOf(chain)).shop).toBe(50 * BUYERS);
    });

    test("gets no success after a kill midway and a restart, while the buyer does", async () => {
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

test("a stranger who submits payments copied from blocks to two gateways on one Redis gets no success, while every buyer is served", async () => {
  const settings = {
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
    X402_NETWORK: "chain:sandbox",
    REDIS_URL: redis.url,
    PUBLIC_URL: "http://shop.example",
  };
  const gateways = await Promise.all([startGatewayProcess({ settings }), startGatewayProcess({ settings })]);
  try {
    const targets = gateways.map(
      ({ url }): Target =>
        async (request, { key }) => {
          const response = await fetch(`${url}/api/x402/settle`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              ...(key !== undefined && { "idempotency-key": key }),
            },
            body: JSON.stringify(request),
          });
          return { body: (await response.json()) as SettleResponse };
        },
    );
    const stranger = startStranger(() => targets, (await signPayment(chain)).request);
    const purchases = await Promise.all(
      Array.from({ length: GATEWAY_BUYERS }, (_, index) =>
        buy(`${gateways[index % 2]?.url}/api/demo/tips?to=shop&amount=0.050`, "alice", chain, "POST"),
      ),
    );
    const ends = await Promise.allSettled(purchases.map(({ delivered }) => delivered));
    await stranger.stop();
    expect(ends.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(stranger.posts()).toBeGreaterThan(0);
    expect(stranger.successes).toEqual([]);
    expect((await balancesOf(chain)).shop).toBe(50 * GATEWAY_BUYERS);
  } finally {
    await Promise.all(gateways.map((one) => one.close()));
  }
});
