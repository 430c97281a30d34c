import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { balancesOf } from "../../../harness/balances-of.ts";
import { type SignedPayment, signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

const CREDITS = "rc_api.find_rc_accounts";

let chain: SandboxChain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain();
  facilitator = await startFacilitator(chain);
});
afterEach(async () => {
  await facilitator.close();
  await chain.close();
});

const give = (name: string, current: number, max = current) =>
  chain.setAccount({ name, milliHbd: 1000, resources: { current, max } });
const verify = async ({ request }: SignedPayment) => facilitator.verify(request);
const answered = (result: object) => chain.setFault({ kind: "lie", method: CREDITS, result });

describe("a payer's resource credits", () => {
  test("used up cause insufficient_funds, in settle too, without a claim", async () => {
    await give("worn", 0);
    const payment = await signPayment(chain, { from: "worn" });
    expect(await verify(payment)).toEqual({
      isValid: false,
      invalidReason: "insufficient_funds",
      payer: "worn",
    });
    expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "insufficient_funds" });
    expect(await facilitator.store.list("x402:payment:", 10)).toEqual([]);
  });

  test("regrown by the chain's clock are enough", async () => {
    const bar = { current_mana: "0", last_update_time: 0 };
    await answered({ rc_accounts: [{ account: "alice", rc_manabar: bar, max_rc: "1799999948508" }] });
    expect(await verify(await signPayment(chain))).toEqual({ isValid: true, payer: "alice" });
  });

  test("of another or a missing account refuse no one", async () => {
    const bar = { current_mana: 0, last_update_time: 4_000_000_000 };
    await answered({ rc_accounts: [{ account: "bob", rc_manabar: bar, max_rc: 1 }] });
    expect(await verify(await signPayment(chain))).toMatchObject({ isValid: true });
  });

  test("used by the transfer itself when someone else broadcast it refuse nothing", async () => {
    await facilitator.recover();
    await give("worn", 5_000_000, 5_000_001);
    const payment = await signPayment(chain, { from: "worn" });
    const { signedTransaction } = payment.request.paymentPayload.payload;
    await chain.call("condenser_api.broadcast_transaction", [signedTransaction]);
    expect(await verify(payment)).toEqual({ isValid: true, payer: "worn" });
    await chain.produceBlocks();
    expect(await facilitator.settle(payment.request)).toMatchObject({ success: true });
    expect((await balancesOf(chain)).shop).toBe(50);
  });

  test.each([
    ["does not serve", { kind: "refuse", error: { code: -32002, message: "Could not find API rc_api" } }],
    ["hangs at", { kind: "hang" }],
    ["cuts", { kind: "cut" }],
    ["answers nonsense to", { kind: "answer", status: 200, body: "<html>" }],
  ] as const)(
    "are left to the chain when a node %s the question, which is not repeated at once",
    async (_how, fault) => {
      await give("worn", 0);
      await chain.setFault({ ...fault, method: CREDITS });
      const payment = await signPayment(chain, { from: "worn" });
      expect(await verify(payment)).toEqual({ isValid: true, payer: "worn" });
      await chain.clearFaults();
      expect(await verify(await signPayment(chain, { from: "alice" }))).toMatchObject({ isValid: true });
      expect(await facilitator.settle(payment.request)).toMatchObject({ errorReason: "broadcast_rejected" });
    },
  );
});
