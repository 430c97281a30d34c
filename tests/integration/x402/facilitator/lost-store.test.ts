import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRedisStore } from "#lib/store/redis-store.ts";
import type { Store } from "#lib/store/store.ts";
import { balancesOf } from "../../../harness/balances-of.ts";
import { type SignedPayment, signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { flushRedis, startRedis, type TestRedis } from "../../../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";

const HEAD = "condenser_api.get_dynamic_global_properties";
const FIND = "transaction_status_api.find_transaction";

let chain: SandboxChain;
let redis: TestRedis;
let store: Store;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain();
  redis = await startRedis();
  store = await createRedisStore({ url: redis.url });
  facilitator = await startFacilitator(chain, { store });
});
afterEach(async () => {
  await facilitator.close();
  await store.close();
  await redis.close();
  await chain.close();
});

/** Settles, and produces a block as soon as the chain has the payment. */
async function settle(payment: SignedPayment, key?: string) {
  const settling = facilitator.settle(payment.request, key === undefined ? {} : { idempotencyKey: key });
  await expect
    .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: payment.txId }))
    .not.toEqual({ status: "unknown" });
  await chain.produceBlocks();
  return settling;
}

const broadcast = ({ request }: SignedPayment) =>
  chain.call("condenser_api.broadcast_transaction", [request.paymentPayload.payload.signedTransaction]);

describe("a store lost while payments are still valid", () => {
  test.each([undefined, "order-1"])(
    "repeats no success for a payment from an earlier block (key: %s)",
    async (key) => {
      const payment = await signPayment(chain);
      expect(await settle(payment, key)).toMatchObject({ success: true, txId: payment.txId });
      await flushRedis(redis);
      expect(await settle(payment, key)).toMatchObject({
        success: false,
        errorReason: "payment_replayed",
        txId: payment.txId,
        blockNum: 2,
      });
      expect(await facilitator.verify(payment.request)).toMatchObject({ invalidReason: "payment_replayed" });
      expect((await balancesOf(chain)).shop).toBe(50);
    },
  );

  test("allows one success for a payment that a stranger broadcast and a later block includes", async () => {
    await settle(await signPayment(chain));
    const payment = await signPayment(chain);
    await flushRedis(redis);
    await settle(await signPayment(chain));
    await broadcast(payment);
    await chain.produceBlocks();
    expect(await settle(payment)).toMatchObject({ success: true, txId: payment.txId });
    expect(await settle(payment)).toMatchObject({ errorReason: "payment_replayed" });
  });

  test("repeats no success after a newer payment has settled in the same process", async () => {
    const old = await signPayment(chain);
    await settle(old);
    await flushRedis(redis);
    expect(await settle(await signPayment(chain))).toMatchObject({ success: true });
    expect(await settle(old)).toMatchObject({ errorReason: "payment_replayed" });
  });

  test("repeats no success, even if the queried node is behind the newest block that this process has seen", async () => {
    const payment = await signPayment(chain);
    await settle(payment);
    await flushRedis(redis);
    await chain.setFault({
      kind: "stale",
      seconds: 3,
      method: "condenser_api.get_dynamic_global_properties",
    });
    expect(await settle(payment)).toMatchObject({ errorReason: "payment_replayed" });
  });

  test("leaves a payment pending if the node that lacks it is behind the store's first block", async () => {
    const payment = await signPayment(chain);
    await settle(payment);
    await flushRedis(redis);
    const find = "transaction_status_api.find_transaction";
    await chain.setFault({
      kind: "stale",
      seconds: 3,
      method: "condenser_api.get_dynamic_global_properties",
    });
    await chain.setFault({ kind: "lie", method: find, result: { status: "unknown" } });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.clearFaults();
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "payment_replayed" });
  });

  test("repeats no success if the node reaches the store's first block only during the query", async () => {
    let isBehind = false;
    const relay = () =>
      startScriptedNode(chain.chainId, async ({ method, params }) => {
        const result = (await chain.call(method, params)) as { head_block_number: number; time: string };
        if (method === FIND && isBehind) {
          isBehind = false;
          return { result: { status: "unknown" } };
        }
        if (method !== HEAD) return { result };
        // If the status were queried at the same time, it would be answered first.
        await chain.call(FIND, { transaction_id: payment.txId });
        const time = new Date(Date.parse(`${result.time}Z`) - 3000).toISOString().slice(0, 19);
        const before = { ...result, head_block_number: result.head_block_number - 1, time };
        return { result: isBehind ? before : result };
      });
    const payment = await signPayment(chain);
    const node = await relay();
    const patient = await startFacilitator({ ...chain, urls: [node.url] }, { store });
    try {
      await chain.produceBlocks(3);
      const settling = patient.settle(payment.request);
      const find = () => chain.call(FIND, { transaction_id: payment.txId });
      await expect.poll(find).toEqual({ status: "within_mempool" });
      await chain.produceBlocks();
      expect(await settling).toMatchObject({ success: true });
      await flushRedis(redis);
      isBehind = true;
      expect(await patient.settle(payment.request)).toMatchObject({ success: false });
      expect(await patient.settle(payment.request)).toMatchObject({ errorReason: "payment_replayed" });
    } finally {
      await patient.close();
      await node.close();
    }
  });

  test("leaves a settlement in progress pending, without an error", async () => {
    const payment = await signPayment(chain);
    const settling = facilitator.settle(payment.request);
    await expect
      .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: payment.txId }))
      .toEqual({ status: "within_mempool" });
    await flushRedis(redis);
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ errorReason: "settlement_pending", txId: payment.txId });
  });
});

describe("a store that begins after a payment was signed", () => {
  test("accepts it in a block rebuilt by a fork, since the chain did not have it before", async () => {
    await chain.setLag(20);
    const payment = await signPayment(chain);
    await chain.produceBlocks();
    const settling = facilitator.settle(payment.request);
    await expect
      .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: payment.txId }))
      .toEqual({ status: "within_mempool" });
    await chain.fork({ blocks: 1 });
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ success: true, txId: payment.txId, blockNum: 2 });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "payment_replayed" });
  });

  test("does not send it until the chain has confirmed that no block includes it", async () => {
    const payment = await signPayment(chain);
    await chain.produceBlocks();
    await chain.setFault({ kind: "cut", method: "transaction_status_api.find_transaction" });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.clearFaults();
    const find = { transaction_id: payment.txId };
    expect(await chain.call("transaction_status_api.find_transaction", find)).toEqual({ status: "unknown" });
    expect(await settle(payment)).toMatchObject({ success: true, txId: payment.txId });
  });
});

describe("a store of an earlier version", () => {
  /**
   * Writes the data of earlier versions: records with a time to live, and a mark for each unfinished payment.
   */
  async function makeFormer(payment: SignedPayment) {
    const find = async (id: string) => (await store.get(`x402:payment:${id}`)) ?? "";
    const { storeBlock: _, ...record } = JSON.parse(await find(payment.txId));
    const alternate = await find(payment.alternateId);
    await flushRedis(redis);
    await store.set(`x402:payment:${payment.txId}`, JSON.stringify(record), 3600);
    await store.set(`x402:payment:${payment.alternateId}`, alternate, 3600);
    if (record.state !== "settled") await store.set(`x402:open:${payment.txId}`, String(Date.now()), 3600);
  }

  test("keeps its payments, and accepts one that someone else had already broadcast", async () => {
    const [payment, other] = [await signPayment(chain), await signPayment(chain)];
    await settle(payment);
    await makeFormer(payment);
    await broadcast(other);
    await chain.produceBlocks();
    expect(await settle(payment)).toMatchObject({ errorReason: "payment_replayed" });
    expect(await settle(other)).toMatchObject({ success: true });
  });

  test("has its unfinished payments completed", async () => {
    const payment = await signPayment(chain);
    await chain.holdTransactions(true);
    const impatient = await startFacilitator(chain, { store, waitMs: 50 });
    await impatient.settle(payment.request);
    await impatient.close();
    await makeFormer(payment);
    await chain.holdTransactions(false);
    await chain.produceBlocks();
    await facilitator.recover();
    expect(await store.list("x402:open:", 10)).toEqual([]);
    expect(JSON.parse((await store.get(`x402:payment:${payment.txId}`)) ?? "")).toMatchObject({
      state: "settled",
      answeredTo: null,
    });
    expect(await facilitator.settle(payment.request)).toMatchObject({ success: true });
  });
});
