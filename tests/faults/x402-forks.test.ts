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
const running: FacilitatorProcess[] = [];
beforeEach(async () => {
  chain = await startSandboxChain();
  await chain.setLag(20);
  dataDir = await mkdtemp(join(tmpdir(), "forks-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start() {
  const { urls: nodes, chainId } = chain;
  const one = await startFacilitatorProcess({ nodes, chainId, store: { kind: "sqlite", dataDir } });
  running.push(one);
  return one;
}
const isWaiting = (txId: string) =>
  expect
    .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: txId }))
    .toEqual({ status: "within_mempool" });

async function settleInBlock(facilitator: FacilitatorProcess) {
  const { request, txId } = await signPayment(chain);
  const settling = facilitator.settle(request);
  await isWaiting(txId);
  await chain.produceBlocks();
  expect((await settling).body).toMatchObject({ success: true, txId });
  return { request, txId };
}

describe("a fork that drops the block of a settled payment", () => {
  test.each(["running", "killed"])("still pays the seller, with the facilitator %s", async (state) => {
    const first = await start();
    const { request, txId } = await settleInBlock(first);
    if (state === "killed") await first.close();
    await chain.fork({ losesTransactions: true });
    expect(await balancesOf(chain)).toMatchObject({ alice: 100_000, shop: 0 });
    const facilitator = state === "killed" ? await start() : first;
    await chain.produceBlocks(4);
    await isWaiting(txId);
    await chain.produceBlocks();
    // The node may show the payment before the facilitator has recorded that it sent the payment again.
    await expect
      .poll(() => facilitator.settleToTheEnd(request))
      .toMatchObject({ success: false, errorReason: "payment_replayed", txId, blockNum: 6 });
    expect(await balancesOf(chain)).toMatchObject({ alice: 99_950, shop: 50 });
  });

  test("fails the payment if it expires before a new block includes it", async () => {
    const facilitator = await start();
    const { request } = await settleInBlock(facilitator);
    await chain.holdTransactions(true);
    await chain.fork({ losesTransactions: true });
    await chain.setLag(0);
    await chain.advanceTime(200);
    await chain.produceBlocks(4);
    const verify = async () => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify(request);
      return (await fetch(`${facilitator.url}/verify`, { method: "POST", headers, body })).json();
    };
    const expired = "transaction_expired";
    await expect.poll(verify).toMatchObject({ invalidReason: expired });
    expect((await facilitator.settle(request)).body).toMatchObject({ errorReason: expired });
    expect(await balancesOf(chain)).toMatchObject({ alice: 100_000, shop: 0 });
  });
});
