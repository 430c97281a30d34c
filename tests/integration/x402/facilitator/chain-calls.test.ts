import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { countCalls } from "../../../harness/count-calls.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let client: HiveClient;
let calls: string[];
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
  await chain.produceBlocks(5);
  facilitator = await open([chain.url]);
});

/** Opens a facilitator over these nodes, and counts its calls. Every broadcast is followed by a block. */
async function open(nodes: readonly string[]) {
  client = createHiveClient({ nodes, chainId: chain.chainId });
  calls = [];
  const counting: HiveClient = {
    ...countCalls(client, (method) => calls.push(method.split(".")[1] ?? method)),
    async broadcast(...given) {
      calls.push("broadcast");
      await client.broadcast(...given);
      await chain.produceBlocks();
    },
  };
  return startFacilitator(chain, { client: counting });
}

afterEach(async () => {
  await facilitator.close();
  await client.close();
  await chain.close();
});
const CLOCK = "get_dynamic_global_properties";
const CREDITS = "find_rc_accounts";
/**
 * Returns the calls since the last time, except for those about the clock and credits, which are cached for a
 * while and may be missing.
 */
const asked = () => calls.splice(0).filter((name) => name !== CLOCK && name !== CREDITS);

describe("a payment's cost at the chain's nodes", () => {
  test("is a read to verify; a read, a broadcast and a status query to settle; no call to repeat", async () => {
    const { request } = await signPayment(chain);
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
    expect(asked()).toEqual(["find_accounts"]);
    expect(await facilitator.settle(request)).toMatchObject({ success: true });
    expect(asked()).toEqual(["find_accounts", "broadcast", "find_transaction"]);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed" });
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "payment_replayed" });
    expect(calls).toEqual([]);
  });

  test("doubles, except for the broadcast, when two nodes must agree", async () => {
    await facilitator.close();
    await client.close();
    facilitator = await open(chain.urls);
    const { request } = await signPayment(chain);
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
    expect(asked()).toEqual(["find_accounts", "find_accounts"]);
    expect(await facilitator.settle(request)).toMatchObject({ success: true });
    expect(asked()).toEqual([
      "find_accounts",
      "find_accounts",
      "broadcast",
      "find_transaction",
      "find_transaction",
    ]);
  });

  test("shares the reads of the chain's clock and an account's credits among simultaneous payments", async () => {
    const payments = await Promise.all(Array.from({ length: 20 }, () => signPayment(chain)));
    const answers = await Promise.all(payments.map(({ request }) => facilitator.verify(request)));
    expect(answers).toEqual(payments.map(() => ({ isValid: true, payer: "alice" })));
    expect(calls.filter((name) => name === CREDITS)).toHaveLength(1);
    expect(calls.filter((name) => name === CLOCK).length).toBeLessThan(10);
  });

  test("is no call when the request alone shows the fault", async () => {
    const { request } = await signPayment(chain);
    Object.assign(request.paymentRequirements, { payTo: "bob" });
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "recipient_mismatch" });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "recipient_mismatch" });
    expect(calls).toEqual([]);
  });
});
