import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SettlementEvent } from "#lib/x402/facilitator/index.ts";
import { balancesOf } from "../../../harness/balances-of.ts";
import { type SignedPayment, signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";

const HEAD = "condenser_api.get_dynamic_global_properties";

type Facilitator = Awaited<ReturnType<typeof startFacilitator>>;

let chain: SandboxChain;
let facilitator: Facilitator;
let events: Array<SettlementEvent["kind"]>;
beforeEach(async () => {
  events = [];
  chain = await startSandboxChain();
  await chain.setLag(20);
  facilitator = await startFacilitator(chain, { waitMs: 2000, onEvent: ({ kind }) => events.push(kind) });
});
afterEach(async () => {
  await facilitator.close();
  await chain.close();
});

const statusOf = async ({ txId }: SignedPayment) =>
  chain.call("transaction_status_api.find_transaction", { transaction_id: txId });

/** Settles in block 2, which is reversible. */
async function settleInBlock(payment: SignedPayment, options?: Parameters<Facilitator["settle"]>[1]) {
  const settling = facilitator.settle(payment.request, options);
  await expect.poll(() => statusOf(payment)).toEqual({ status: "within_mempool" });
  await chain.produceBlocks();
  expect(await settling).toMatchObject({ success: true, blockNum: 2 });
}
/** Settles in block 2 for a disconnected caller, so no one receives the success. */
async function settleUnheard(payment: SignedPayment) {
  const leaving = new AbortController();
  leaving.abort();
  const settling = facilitator.settle(payment.request, { signal: leaving.signal });
  await expect.poll(() => statusOf(payment)).toEqual({ status: "within_mempool" });
  await chain.produceBlocks();
  await settling;
}
const watched = () => facilitator.store.range("x402:payments:reversible", Number.POSITIVE_INFINITY, 10);

describe("a payment settled in a block that a fork can undo", () => {
  test("is watched until no fork can undo it, and no longer", async () => {
    await settleInBlock(await signPayment(chain));
    await chain.produceBlocks(4);
    await facilitator.recover();
    expect(await watched()).toHaveLength(1);
    await chain.setLag(0);
    await chain.produceBlocks();
    await facilitator.recover();
    expect(await watched()).toHaveLength(0);
    expect(events).toEqual(["settled"]);
  });

  test("does not succeed for a repeat with its key after a fork removed its block", async () => {
    const payment = await signPayment(chain);
    await settleInBlock(payment, { idempotencyKey: "order-1" });
    await chain.holdTransactions(true);
    await chain.fork({ losesTransactions: true });
    await chain.produceBlocks(4);
    const again = await facilitator.settle(payment.request, { idempotencyKey: "order-1" });
    expect(again).toMatchObject({ success: false, errorReason: "settlement_pending" });
  });

  test("does not succeed for a repeat while the chain can't confirm its block", async () => {
    const payment = await signPayment(chain);
    await settleInBlock(payment, { idempotencyKey: "order-1" });
    await chain.produceBlocks(4);
    const repeat = () => facilitator.settle(payment.request, { idempotencyKey: "order-1" });
    await chain.setFault({ kind: "cut", method: "transaction_status_api.find_transaction" });
    expect(await repeat()).toMatchObject({ success: false, errorReason: "settlement_pending" });
    await chain.clearFaults();
    expect(await repeat()).toMatchObject({ success: true, txId: payment.txId });
  });

  test("is sent again after the fork, and then succeeds only for its key", async () => {
    const payment = await signPayment(chain);
    await settleInBlock(payment, { idempotencyKey: "order-1" });
    await chain.fork({ losesTransactions: true });
    await chain.produceBlocks(4);
    expect((await balancesOf(chain)).shop).toBe(0);
    await facilitator.recover();
    expect(events).toEqual(["settled", "resent", "undone"]);
    expect(await facilitator.verify(payment.request)).toMatchObject({ invalidReason: "payment_replayed" });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.setLag(0);
    await chain.produceBlocks();
    await facilitator.recover();
    expect((await balancesOf(chain)).shop).toBe(50);
    const told = { txId: payment.txId, blockNum: 6 };
    expect(await facilitator.settle(payment.request)).toMatchObject({
      ...told,
      errorReason: "payment_replayed",
    });
    const again = await facilitator.settle(payment.request, { idempotencyKey: "order-1" });
    expect(again).toMatchObject({ ...told, success: true });
  });

  test("is not sent again while nodes may merely be a block or two apart", async () => {
    await settleInBlock(await signPayment(chain));
    await chain.fork({ losesTransactions: true });
    await chain.produceBlocks(3);
    await facilitator.recover();
    expect(events).toEqual(["settled"]);
    await chain.produceBlocks();
    await facilitator.recover();
    expect(events).toEqual(["settled", "resent", "undone"]);
  });

  test("is recognized in another block after the fork", async () => {
    const payment = await signPayment(chain);
    await settleInBlock(payment);
    await chain.fork();
    await chain.holdTransactions(true);
    await chain.produceBlocks();
    await chain.holdTransactions(false);
    await chain.produceBlocks(4);
    await facilitator.recover();
    expect(events).toEqual(["settled"]);
    expect(await facilitator.settle(payment.request)).toMatchObject({
      errorReason: "payment_replayed",
      blockNum: 3,
    });
  });

  test("does not succeed for later callers until it is in a block again", async () => {
    const payment = await signPayment(chain);
    await settleUnheard(payment);
    await chain.fork({ losesTransactions: true });
    await chain.produceBlocks(4);
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.produceBlocks();
    expect(await facilitator.settle(payment.request)).toMatchObject({ success: true, blockNum: 6 });
  });

  test("does not succeed for later callers if it expires without a new block", async () => {
    const payment = await signPayment(chain);
    await settleUnheard(payment);
    await chain.fork({ losesTransactions: true });
    await chain.holdTransactions(true);
    // The payment has expired, but not long enough ago to be given up.
    await chain.advanceTime(70);
    await chain.produceBlocks(4);
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    expect(events).toContain("undone");
  });

  test("fails when it expires before another block includes it", async () => {
    const payment = await signPayment(chain);
    await settleInBlock(payment);
    await chain.fork({ losesTransactions: true });
    await chain.holdTransactions(true);
    await chain.advanceTime(200);
    await chain.setLag(0);
    await chain.produceBlocks(4);
    await facilitator.recover();
    expect(events).toEqual(["settled", "undone", "failed"]);
    expect(await facilitator.settle(payment.request)).toMatchObject({
      success: false,
      errorReason: "transaction_expired",
    });
    expect(await balancesOf(chain)).toMatchObject({ alice: 100_000, shop: 0 });
    expect(await watched()).toHaveLength(0);
  });

  test("stays settled while no node answers", async () => {
    const payment = await signPayment(chain);
    await settleInBlock(payment);
    await chain.produceBlocks(4);
    await chain.setFault({ kind: "cut" });
    await facilitator.recover();
    expect(events).toEqual(["settled"]);
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "payment_replayed" });
  });
});

test("a block undone by a fork does not count as irreversible when another block gets its number", async () => {
  let isIncluded = false;
  let fork: Promise<void> | undefined;
  const undo = async () => {
    await chain.fork({ blocks: 1, losesTransactions: true });
    await chain.setLag(0);
    await chain.produceBlocks(5);
  };
  const relay = () =>
    startScriptedNode(chain.chainId, async ({ method, params }) => {
      if (isIncluded && method === HEAD) fork ??= undo();
      await fork;
      return { result: await chain.call(method, params) };
    });
  const relays = [await relay(), await relay()];
  const urls = relays.map(({ url }) => url);
  const strict = await startFacilitator({ ...chain, urls }, { finality: "irreversible", waitMs: 1500 });
  try {
    const payment = await signPayment(chain);
    const settling = strict.settle(payment.request);
    await expect.poll(() => statusOf(payment)).toEqual({ status: "within_mempool" });
    await chain.produceBlocks();
    isIncluded = true;
    expect(await settling).toMatchObject({ success: false });
    expect(fork).toBeDefined();
  } finally {
    await strict.close();
    for (const { close } of relays) await close();
  }
});

test("a payment that refers to an undone block is invalid with the reason tapos_mismatch", async () => {
  await chain.produceBlocks(5);
  const { request } = await signPayment(chain);
  await chain.produceBlocks();
  expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
  await chain.fork({ blocks: 3 });
  await chain.produceBlocks(4);
  // The head is cached for a fraction of a second.
  await expect.poll(async () => (await facilitator.verify(request)).invalidReason).toBe("tapos_mismatch");
});
