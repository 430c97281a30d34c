import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holdTime } from "../../../harness/hold-time.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let events: string[];
beforeEach(async () => {
  chain = await startSandboxChain();
  await chain.produceBlocks(5);
  events = [];
  facilitator = await startFacilitator(chain, { waitMs: 100, onEvent: ({ kind }) => events.push(kind) });
});
afterEach(async () => {
  await facilitator.close();
  await chain.close();
});

const HEAD = "condenser_api.get_dynamic_global_properties";
const STATUS = "transaction_status_api.find_transaction";

describe("a node that is behind", () => {
  test("does not make the facilitator refuse a payment that refers to a newer block", async () => {
    const { request } = await signPayment(chain);
    await chain.setFault({ kind: "stale", seconds: 3, method: HEAD, times: 2 });
    expect(await facilitator.verify(request)).toEqual({ isValid: true, payer: "alice" });
  });

  test("proves nothing by lacking a payment until a minute after its expiry", async () => {
    const { request } = await signPayment(chain);
    await chain.holdTransactions(true);
    await facilitator.settle(request);
    await chain.setFault({ kind: "lie", method: STATUS, result: { status: "unknown" } });
    await chain.advanceTime(61);
    await chain.produceBlocks();
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.advanceTime(50);
    await chain.produceBlocks();
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.advanceTime(11);
    await chain.produceBlocks();
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "transaction_expired" });
    expect(events).not.toContain("resent");
  });

  test("proves nothing by sending the header of a block that was not requested", async () => {
    const { request } = await signPayment(chain);
    await chain.produceBlocks();
    const other = await chain.call("condenser_api.get_block_header", [3]);
    await chain.setFault({ kind: "lie", method: "condenser_api.get_block_header", result: other, times: 2 });
    await expect(facilitator.verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
  });

  test("is asked again at once after a failure", async () => {
    const { request } = await signPayment(chain);
    const time = holdTime();
    try {
      await chain.setFault({ kind: "cut", method: HEAD });
      await expect(facilitator.verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
      await chain.clearFaults();
      expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
    } finally {
      time.release();
    }
  });
});
