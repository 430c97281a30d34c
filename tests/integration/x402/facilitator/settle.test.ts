import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { balancesOf } from "../../../harness/balances-of.ts";
import { refusalOfChain } from "../../../harness/refuse-as-chain.ts";
import { type SignedPayment, signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
const closing: Array<() => Promise<unknown>> = [];
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await chain.close();
});

async function start(options: Parameters<typeof startFacilitator>[1] = {}) {
  const facilitator = await startFacilitator(chain, options);
  closing.push(facilitator.close);
  return facilitator;
}

const BROADCAST = "condenser_api.broadcast_transaction";
const send = ({ request }: SignedPayment) =>
  chain.call(BROADCAST, [request.paymentPayload.payload.signedTransaction]);
const statusOf = async (id: string) =>
  (
    (await chain.call("transaction_status_api.find_transaction", { transaction_id: id })) as {
      status: string;
    }
  ).status;

type Facilitator = Awaited<ReturnType<typeof start>>;

/** Settles, and produces a block as soon as the payment waits for one. */
async function settleInBlock(
  facilitator: Facilitator,
  payment: SignedPayment,
  options?: Parameters<Facilitator["settle"]>[1],
) {
  const settling = facilitator.settle(payment.request, options);
  await expect.poll(() => statusOf(payment.txId)).toBe("within_mempool");
  await chain.produceBlocks();
  return settling;
}

/** Settles until the facilitator knows the outcome. On a busy machine one call may not be enough. */
const settled = (
  facilitator: Facilitator,
  request: SignedPayment["request"],
  options?: Parameters<Facilitator["settle"]>[1],
) => expect.poll(() => facilitator.settle(request, options));

describe("success", () => {
  test("comes with a block, not before", async () => {
    const facilitator = await start({ waitMs: 300 });
    const payment = await signPayment(chain);
    expect(await facilitator.settle(payment.request)).toEqual({
      success: false,
      errorReason: "settlement_pending",
      txId: payment.txId,
      transaction: payment.txId,
      payer: "alice",
      network: "chain:sandbox",
    });
    await chain.produceBlocks();
    await settled(facilitator, payment.request).toMatchObject({ success: true, txId: payment.txId });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "payment_replayed" });
    expect((await balancesOf(chain)).shop).toBe(50);
  });

  test("comes with an irreversible block when the facilitator's options ask for it", async () => {
    const facilitator = await start({ waitMs: 300, finality: "irreversible" });
    await chain.setLag(3);
    const payment = await signPayment(chain);
    expect(await settleInBlock(facilitator, payment)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.produceBlocks(3);
    await settled(facilitator, payment.request).toMatchObject({ success: true, txId: payment.txId });
  });

  test("comes with an irreversible block when the requirements ask for it", async () => {
    const facilitator = await start({ waitMs: 200 });
    await chain.setLag(3);
    const payment = await signPayment(chain);
    Object.assign(payment.request.paymentRequirements, { extra: { finality: "irreversible", nonce: "x" } });
    expect(await settleInBlock(facilitator, payment)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.produceBlocks(3);
    await settled(facilitator, payment.request).toMatchObject({ success: true });
  });

  test("comes with an irreversible block when only a later caller asks for it", async () => {
    const facilitator = await start({ waitMs: 300 });
    await chain.setLag(3);
    const payment = await signPayment(chain);
    const strict = structuredClone(payment.request);
    Object.assign(strict.paymentRequirements, { extra: { finality: "irreversible" } });
    await settleInBlock(facilitator, payment, { signal: AbortSignal.abort() });
    expect(await facilitator.settle(strict)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.produceBlocks(3);
    await settled(facilitator, strict).toMatchObject({ success: true, blockNum: 2 });
  });

  test("comes with an irreversible block when requested while the payment is pending", async () => {
    const facilitator = await start({ waitMs: 300 });
    await chain.setLag(3);
    const payment = await signPayment(chain);
    const strict = structuredClone(payment.request);
    Object.assign(strict.paymentRequirements, { extra: { finality: "irreversible" } });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.produceBlocks();
    expect(await facilitator.settle(strict)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.produceBlocks(3);
    await settled(facilitator, strict).toMatchObject({ success: true, blockNum: 2 });
  });

  test("leaves the payment valid for verify until a caller gets it, and not afterwards", async () => {
    const facilitator = await start({ waitMs: 100 });
    const payment = await signPayment(chain);
    await facilitator.settle(payment.request);
    expect(await facilitator.verify(payment.request)).toEqual({ isValid: true, payer: "alice" });
    await chain.produceBlocks();
    await settled(facilitator, payment.request).toMatchObject({ success: true });
    expect(await facilitator.verify(payment.request)).toMatchObject({ invalidReason: "payment_replayed" });
  });

  test("goes to the next caller when the first has disconnected", async () => {
    const facilitator = await start();
    const payment = await signPayment(chain);
    const leaving = new AbortController();
    const settling = facilitator.settle(payment.request, { signal: leaving.signal });
    await expect.poll(() => statusOf(payment.txId)).toBe("within_mempool");
    leaving.abort();
    await chain.produceBlocks();
    await settling;
    expect(await facilitator.settle(payment.request)).toMatchObject({ success: true, blockNum: 2 });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "payment_replayed" });
  });
});

describe("a payment that a stranger has broadcast", () => {
  test("settles with success, once, even if it took the payer's last coin", async () => {
    const facilitator = await start();
    await facilitator.recover();
    const payment = await signPayment(chain, { from: "erin", mils: 1000 });
    await send(payment);
    expect(await facilitator.verify(payment.request)).toEqual({ isValid: true, payer: "erin" });
    await chain.produceBlocks();
    expect(await facilitator.verify(payment.request)).toEqual({ isValid: true, payer: "erin" });
    expect(await facilitator.settle(payment.request)).toMatchObject({ success: true, blockNum: 2 });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "payment_replayed" });
    expect(await balancesOf(chain)).toMatchObject({ erin: 0, shop: 1000 });
  });

  test("settles under the id of the same payment in another packing if that was broadcast first", async () => {
    const facilitator = await start();
    await facilitator.recover();
    const nonce = "fedcba9876543210";
    const legacy = await signPayment(chain, { nonce, packing: "legacy" });
    const alternate = await signPayment(chain, { nonce, packing: "hf26" });
    await send(alternate);
    await chain.produceBlocks();
    expect(await facilitator.settle(legacy.request)).toMatchObject({ success: true, txId: alternate.txId });
    expect(await facilitator.settle(alternate.request)).toMatchObject({ errorReason: "payment_replayed" });
    expect((await balancesOf(chain)).shop).toBe(50);
  });
});

describe("a failing broadcast", () => {
  test.each(["cut", "hang"] as const)(
    "does not fail the payment when the node accepts it and its answer is lost (%s)",
    async (by) => {
      const facilitator = await start({ attemptMs: 500 });
      await chain.setFault({ kind: "lose_answer", method: BROADCAST, by });
      await chain.setFault({ kind: "lose_answer", method: BROADCAST, by }, 1);
      const payment = await signPayment(chain);
      expect(await settleInBlock(facilitator, payment)).toMatchObject({ success: true, txId: payment.txId });
      expect((await balancesOf(chain)).shop).toBe(50);
    },
  );

  test("decides nothing when the second node refuses after the first went silent", async () => {
    const facilitator = await start({ waitMs: 300, attemptMs: 500 });
    await chain.setFault({ kind: "hang", method: BROADCAST });
    const refusal = { code: -32003, message: "Account: alice has 0 RC, needs 1 RC" };
    await chain.setFault({ kind: "refuse", method: BROADCAST, error: refusal }, 1);
    const payment = await signPayment(chain);
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.clearFaults();
    await chain.clearFaults(1);
    const patient = await start({ store: facilitator.store });
    expect(await settleInBlock(patient, payment)).toMatchObject({ success: true });
  });

  test("leaves the payment pending if the node calls it a duplicate, even if that node lacks it", async () => {
    const facilitator = await start({ waitMs: 100 });
    const error = { code: -32003, message: "Duplicate transaction check failed" };
    await chain.setFault({ kind: "refuse", method: BROADCAST, error });
    const payment = await signPayment(chain);
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
  });

  test("refused by two nodes leads to broadcast_rejected", async () => {
    const facilitator = await start({ attemptMs: 500 });
    const refusal = refusalOfChain("Account: alice has 0 RC, needs 1 RC");
    for (const node of [0, 1])
      await chain.setFault({ kind: "refuse", method: BROADCAST, error: refusal }, node);
    const payment = await signPayment(chain);
    expect(await facilitator.settle(payment.request)).toEqual({
      success: false,
      errorReason: "broadcast_rejected",
      txId: payment.txId,
      transaction: payment.txId,
      payer: "alice",
      network: "chain:sandbox",
    });
    expect(await statusOf(payment.txId)).toBe("unknown");
  });

  test("lets a retry settle the payment, even if a stranger has broadcast it", async () => {
    const facilitator = await start({ attemptMs: 500 });
    const refusal = refusalOfChain("no");
    const [mine, theirs] = [await signPayment(chain), await signPayment(chain)];
    for (const node of [0, 1])
      await chain.setFault({ kind: "refuse", method: BROADCAST, error: refusal }, node);
    for (const { request } of [mine, theirs])
      expect(await facilitator.settle(request)).toMatchObject({ errorReason: "broadcast_rejected" });
    for (const node of [0, 1]) await chain.clearFaults(node);
    expect(await settleInBlock(facilitator, mine)).toMatchObject({ success: true });
    await send(theirs);
    await chain.produceBlocks();
    expect(await facilitator.settle(theirs.request)).toMatchObject({ success: true });
    expect((await balancesOf(chain)).shop).toBe(100);
  });
});

describe("a broadcast answered by something other than a chain refusal", () => {
  const errors: Array<[string, { code: number; message: string; data?: unknown }]> = [
    ["-32000 without the chain's data", { code: -32000, message: "Server error" }],
    ["-32003 without the chain's data", { code: -32003, message: "Assert Exception" }],
    ["-32000 with a gateway's data", { code: -32000, message: "no", data: { error_id: "5", name: "bad" } }],
    ["-32005", { code: -32005, message: "limit exceeded" }],
    ["1000", { code: 1000, message: "Bad Gateway" }],
    ["1050", { code: 1050, message: "Upstream timeout" }],
    ["1100", { code: 1100, message: "Request timeout" }],
    [
      "a chain code that judges no transaction",
      { ...refusalOfChain("late"), data: { ...refusalOfChain("late").data, code: 2 } },
    ],
  ];
  test.each(errors)("leaves the payment pending, and it succeeds if it lands late: %s", async (_, error) => {
    const facilitator = await start({ waitMs: 200 });
    for (const node of [0, 1]) await chain.setFault({ kind: "refuse", method: BROADCAST, error }, node);
    const payment = await signPayment(chain);
    const key = { idempotencyKey: "order" };
    expect(await facilitator.settle(payment.request, key)).toMatchObject({
      errorReason: "settlement_pending",
    });
    for (const node of [0, 1]) await chain.clearFaults(node);
    await send(payment);
    await chain.produceBlocks();
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await settled(facilitator, payment.request, key).toMatchObject({ success: true });
    expect((await balancesOf(chain)).shop).toBe(50);
  });

  test("leads to transaction_expired after the expiry if two nodes lack the payment", async () => {
    const facilitator = await start({ waitMs: 100 });
    const error = { code: -32000, message: "Server error" };
    for (const node of [0, 1]) await chain.setFault({ kind: "refuse", method: BROADCAST, error }, node);
    const payment = await signPayment(chain);
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.advanceTime(61);
    await chain.produceBlocks(3);
    await settled(facilitator, payment.request).toMatchObject({ errorReason: "transaction_expired" });
  });
});

describe("a payment that no block includes", () => {
  test("is pending until it expires and fails only then, without moving money", async () => {
    const facilitator = await start({ waitMs: 100 });
    await chain.holdTransactions(true);
    const payment = await signPayment(chain);
    await facilitator.settle(payment.request);
    await chain.produceBlocks(3);
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.advanceTime(61);
    await chain.produceBlocks(3);
    const expired = { success: false, errorReason: "transaction_expired", txId: payment.txId };
    await settled(facilitator, payment.request).toMatchObject(expired);
    expect(await facilitator.settle(payment.request)).toMatchObject(expired);
    expect(await facilitator.verify(payment.request)).toMatchObject({ invalidReason: "transaction_expired" });
    expect(await balancesOf(chain)).toMatchObject({ alice: 100_000, shop: 0 });
  });

  test("is sent again within the same call when the node that accepted it has lost it", async () => {
    const facilitator = await start();
    const payment = await signPayment(chain);
    await chain.setFault({ kind: "lie", method: BROADCAST, result: {}, times: 1 });
    expect(await settleInBlock(facilitator, payment)).toMatchObject({ success: true, txId: payment.txId });
    expect((await balancesOf(chain)).shop).toBe(50);
  });

  test("is sent again when the chain has lost it in a fork", async () => {
    const facilitator = await start({ waitMs: 200, finality: "irreversible" });
    await chain.setLag(5);
    const payment = await signPayment(chain);
    await settleInBlock(facilitator, payment);
    await chain.fork({ blocks: 1, losesTransactions: true });
    expect(await statusOf(payment.txId)).toBe("unknown");
    await facilitator.settle(payment.request);
    await chain.setLag(0);
    await chain.produceBlocks(2);
    await settled(facilitator, payment.request).toMatchObject({ success: true });
    expect((await balancesOf(chain)).shop).toBe(50);
  });
});

describe("recovery", () => {
  test("settles open payments for the next caller", async () => {
    const facilitator = await start({ waitMs: 100 });
    const payment = await signPayment(chain);
    await facilitator.settle(payment.request);
    await chain.produceBlocks();
    expect(await facilitator.store.range("x402:payments:open", Number.POSITIVE_INFINITY, 10)).toHaveLength(1);
    await facilitator.recover();
    expect(await facilitator.store.range("x402:payments:open", Number.POSITIVE_INFINITY, 10)).toHaveLength(0);
    expect(await facilitator.settle(payment.request)).toMatchObject({ success: true, blockNum: 2 });
  });

  test("runs on its own after the start", async () => {
    const events: string[] = [];
    const facilitator = await start({
      waitMs: 50,
      recoverEveryMs: 20,
      onEvent: ({ kind }) => events.push(kind),
    });
    facilitator.start();
    await facilitator.settle((await signPayment(chain)).request);
    await chain.produceBlocks();
    await expect.poll(() => events).toContain("settled");
  });
});
