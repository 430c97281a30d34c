import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { balancesOf } from "../harness/balances-of.ts";
import { type PlaceToDie, placesToDie } from "../harness/die-in.ts";
import { signPayment } from "../harness/sign-payment.ts";
import { type FacilitatorProcess, startFacilitatorProcess } from "../harness/start-facilitator-process.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let dataDir: string;
const running: FacilitatorProcess[] = [];
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  dataDir = await mkdtemp(join(tmpdir(), "killed-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(diesAt?: PlaceToDie) {
  const { urls: nodes, chainId } = chain;
  const one = await startFacilitatorProcess({
    nodes,
    chainId,
    store: { kind: "sqlite", dataDir },
    ...(diesAt && { diesAt }),
  });
  running.push(one);
  return one;
}

async function settleAndDie(diesAt: PlaceToDie, request: object, key?: string) {
  const mortal = await start(diesAt);
  const lost = await mortal.settle(request, { ...(key && { key }) }).catch(() => "no answer");
  const [, signal] = await mortal.exited;
  expect(lost).toBe("no answer");
  expect(signal).toBe("SIGKILL");
}

describe("a facilitator killed during a settlement", () => {
  test.each(placesToDie)(
    "returns the one success for the caller's key afterwards: killed %s",
    async (place) => {
      const { request, txId } = await signPayment(chain);
      await settleAndDie(place, request, "order-1");
      const next = await start();
      expect(await next.settleToTheEnd(request, { key: "order-1" })).toMatchObject({ success: true, txId });
      expect(await next.settleToTheEnd(request)).toMatchObject({ errorReason: "payment_replayed", txId });
      expect(await balancesOf(chain)).toMatchObject({ alice: 99_950, shop: 50 });
    },
  );

  test.each(placesToDie.slice(0, -1))(
    "returns the success to a caller without a key: killed %s",
    async (place) => {
      const { request, txId } = await signPayment(chain);
      await settleAndDie(place, request);
      const next = await start();
      expect(await next.settleToTheEnd(request)).toMatchObject({ success: true, txId });
      expect(await next.settleToTheEnd(request)).toMatchObject({ errorReason: "payment_replayed" });
      expect(await balancesOf(chain)).toMatchObject({ alice: 99_950, shop: 50 });
    },
  );

  test("returns payment_replayed with the transaction for a repeat without a key after the success", async () => {
    const { request, txId } = await signPayment(chain);
    await settleAndDie("after the block is written down", request);
    const next = await start();
    expect(await next.settleToTheEnd(request)).toMatchObject({
      success: false,
      errorReason: "payment_replayed",
      txId,
      blockNum: expect.any(Number),
    });
    expect((await balancesOf(chain)).shop).toBe(50);
  });

  test("leaves its work to the next process, and the next caller gets the success", async () => {
    const { request } = await signPayment(chain);
    await settleAndDie("after the reservation", request);
    expect((await balancesOf(chain)).shop).toBe(0);
    const next = await start();
    await expect.poll(async () => (await balancesOf(chain)).shop).toBe(50);
    expect(await next.settleToTheEnd(request)).toMatchObject({ success: true });
  });

  test("leads to transaction_expired if the payment expired unfinished", async () => {
    const { request } = await signPayment(chain);
    await settleAndDie("after the reservation", request);
    await chain.advanceTime(61);
    const next = await start();
    expect(await next.settleToTheEnd(request)).toMatchObject({
      success: false,
      errorReason: "transaction_expired",
    });
    expect(await balancesOf(chain)).toMatchObject({ alice: 100_000, shop: 0 });
  });
});
