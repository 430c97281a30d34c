import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { balancesOf } from "../harness/balances-of.ts";
import { signPayment } from "../harness/sign-payment.ts";
import { type FacilitatorProcess, startFacilitatorProcess } from "../harness/start-facilitator-process.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let dataDir: string;
let facilitator: FacilitatorProcess;
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 2 });
  dataDir = await mkdtemp(join(tmpdir(), "nodes-"));
  facilitator = await startFacilitatorProcess({
    nodes: chain.urls,
    chainId: chain.chainId,
    store: { kind: "sqlite", dataDir },
    waitMs: 3000,
    attemptMs: 500,
  });
});
afterEach(async () => {
  await facilitator.close();
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

const BROADCAST = "condenser_api.broadcast_transaction";
const isWaiting = (txId: string) =>
  expect
    .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: txId }, 1))
    .toEqual({ status: "within_mempool" });

const untouched = { alice: 100_000, shop: 0 };
const paidOnce = { alice: 99_950, shop: 50 };
/** Asks the second node, which is healthy at the end of each of these tests. */
const balances = () => balancesOf({ call: (method, params) => chain.call(method, params, 1) });

describe("a facilitator whose chain nodes fail", () => {
  test("settles a payment when one node accepts it and dies, and the others report the block", async () => {
    const { request, txId } = await signPayment(chain);
    const settling = facilitator.settle(request);
    await isWaiting(txId);
    await chain.setFault({ kind: "cut" });
    await chain.produceBlocks();
    expect((await settling).body).toMatchObject({ success: true, txId });
    expect(await balances()).toMatchObject(paidOnce);
  });

  test.each(["cut", "hang"] as const)(
    "settles a payment once when the broadcast's answer is lost (%s)",
    async (by) => {
      await chain.setFault({ kind: "lose_answer", method: BROADCAST, by });
      const { request, txId } = await signPayment(chain);
      const settling = facilitator.settle(request);
      await isWaiting(txId);
      await chain.produceBlocks();
      expect((await settling).body).toMatchObject({ success: true, txId });
      expect((await facilitator.settle(request)).body).toMatchObject({ errorReason: "payment_replayed" });
      expect(await balances()).toMatchObject(paidOnce);
    },
  );

  test("settles a payment when one node hangs on every call", async () => {
    await chain.setFault({ kind: "hang" });
    const other = { chainId: chain.chainId, call: (m: string, p: unknown) => chain.call(m, p, 1) };
    const { request, txId } = await signPayment(other);
    const settling = facilitator.settle(request);
    await isWaiting(txId);
    await chain.produceBlocks();
    expect((await settling).body).toMatchObject({ success: true, txId });
    expect(await balances()).toMatchObject(paidOnce);
  });

  test("leaves a payment pending when all nodes go down after the broadcast, and settles it when they are back", async () => {
    const { request, txId } = await signPayment(chain);
    const settling = facilitator.settle(request);
    await isWaiting(txId);
    for (const node of [0, 1, 2]) await chain.setFault({ kind: "cut" }, node);
    expect((await settling).body).toMatchObject({ success: false, errorReason: "settlement_pending", txId });
    for (const node of [0, 1, 2]) await chain.clearFaults(node);
    await chain.produceBlocks();
    expect(await facilitator.settleToTheEnd(request)).toMatchObject({ success: true, txId });
    expect(await balances()).toMatchObject(paidOnce);
  });

  test("returns 503 when all nodes are down before the broadcast, and moves no money", async () => {
    const { request } = await signPayment(chain);
    for (const node of [0, 1, 2]) await chain.setFault({ kind: "cut" }, node);
    const answer = await facilitator.settle(request);
    expect(answer.status).toBe(503);
    for (const node of [0, 1, 2]) await chain.clearFaults(node);
    await chain.produceBlocks(2);
    expect(await balances()).toMatchObject(untouched);
  });

  test("leaves a payment pending until it expires unpaid when no block includes it", async () => {
    await chain.holdTransactions(true);
    const { request, txId } = await signPayment(chain);
    expect((await facilitator.settle(request)).body).toMatchObject({
      errorReason: "settlement_pending",
      txId,
    });
    await chain.advanceTime(61);
    await chain.produceBlocks(3);
    expect(await facilitator.settleToTheEnd(request)).toMatchObject({
      success: false,
      errorReason: "transaction_expired",
    });
    expect(await balances()).toMatchObject(untouched);
  });
});

describe("third parties and lost answers", () => {
  test("the seller is paid and gets the success when a stranger broadcasts the payment first", async () => {
    const { request, txId } = await signPayment(chain);
    await chain.call(BROADCAST, [request.paymentPayload.payload.signedTransaction]);
    await chain.produceBlocks();
    expect((await facilitator.settle(request)).body).toMatchObject({ success: true, txId, blockNum: 2 });
    expect((await facilitator.settle(request)).body).toMatchObject({ errorReason: "payment_replayed" });
    expect(await balances()).toMatchObject(paidOnce);
  });

  test("a caller who loses the answer gets the success on the next try, with or without a key", async () => {
    for (const key of [undefined, "order-1"]) {
      const { request, txId } = await signPayment(chain);
      const leaving = new AbortController();
      const lost = facilitator
        .settle(request, { signal: leaving.signal, ...(key !== undefined && { key }) })
        .catch(() => "no answer");
      await isWaiting(txId);
      leaving.abort();
      expect(await lost).toBe("no answer");
      // Once the process answers, it has also noticed the closed connection.
      await fetch(`${facilitator.url}/health`);
      await chain.produceBlocks();
      const again = await facilitator.settleToTheEnd(request, key === undefined ? {} : { key });
      expect(again).toMatchObject({ success: true, txId });
    }
    expect((await balances()).shop).toBe(100);
  });
});
