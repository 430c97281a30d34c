import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;
const realNow = Date.now;

let chain: SandboxChain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100, now: realNow });
  facilitator = await startFacilitator(chain);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await facilitator.close();
  await chain.close();
});

/** Steps the wall clock of this process, as setting the machine's time does. */
function stepClock(ms: number) {
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + ms);
}

describe("a facilitator with the machine's clock stepped", () => {
  test.each([
    ["back by a minute", [-60 * SECOND_MS]],
    ["forward by eight days and back again", [8 * DAY_MS, 0]],
  ])("%s continues to settle new payments", async (_, steps) => {
    const before = await signPayment(chain);
    for (const stepMs of [0, ...steps]) {
      stepClock(stepMs);
      expect(await facilitator.verify(before.request)).toMatchObject({ isValid: true });
    }
    await chain.advanceTime(600);
    await chain.produceBlocks();
    const { request, txId } = await signPayment(chain);
    await expect.poll(() => facilitator.verify(request)).toEqual({ isValid: true, payer: "alice" });
    expect(await facilitator.settle(request)).toMatchObject({ success: true, txId });
  });

  test.each([
    ["back by a minute", -60 * SECOND_MS],
    ["forward by a minute", 60 * SECOND_MS],
  ])("%s reports the step in health and to its owner, and continues to settle", async (_, stepMs) => {
    const told: number[] = [];
    const watched = await startFacilitator(chain, { onClock: (seconds) => told.push(seconds) });
    const skews = async () => {
      const { status, failing, clockAheadSeconds = 0 } = await watched.health();
      return { status, failing, isWrong: Math.abs(clockAheadSeconds - stepMs / SECOND_MS) < 10 };
    };
    const wellFor = async (ms: number) => {
      const end = performance.now() + ms;
      while (performance.now() < end) expect(await watched.health()).not.toHaveProperty("clockAheadSeconds");
    };
    try {
      await wellFor(300);
      stepClock(stepMs);
      await expect.poll(skews).toEqual({ status: "degraded", failing: ["clock"], isWrong: true });
      expect(told).toHaveLength(1);
      const { request, txId } = await signPayment(chain);
      expect(await watched.settle(request)).toMatchObject({ success: true, txId });
      stepClock(0);
      await expect.poll(() => watched.health()).not.toHaveProperty("clockAheadSeconds");
      expect(told).toEqual([expect.any(Number), 0]);
    } finally {
      await watched.close();
    }
  });

  test.each([
    ["eight days forward", 8 * DAY_MS],
    ["a minute back", -60 * SECOND_MS],
  ])("%s still recognizes a settled payment that has not expired", async (_, stepMs) => {
    const { request, txId } = await signPayment(chain);
    expect(await facilitator.settle(request)).toMatchObject({ success: true, txId });
    stepClock(stepMs);
    await facilitator.recover();
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed", txId });
  });
});
