import { EventEmitter, once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { countCalls } from "../../../harness/count-calls.ts";
import { type HeldTime, holdTime } from "../../../harness/hold-time.ts";
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
const BLOCK = "get_block";
/**
 * Returns the calls since the last time, except for those about the clock and credits, which are cached for a
 * while and may be missing.
 */
const asked = () => calls.splice(0).filter((name) => name !== CLOCK && name !== CREDITS);

describe("a payment's cost at the chain's nodes", () => {
  test("is a read to verify; a read, a broadcast, a block and a status query to settle; no call to repeat", async () => {
    const { request } = await signPayment(chain);
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
    expect(asked()).toEqual(["find_accounts"]);
    expect(await facilitator.settle(request)).toMatchObject({ success: true });
    expect(asked()).toEqual(["find_accounts", "broadcast", BLOCK, "find_transaction"]);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed" });
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "payment_replayed" });
    expect(calls).toEqual([]);
  });

  test("doubles, except for the broadcast and its block, when two nodes must agree", async () => {
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
      BLOCK,
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

describe("payments that wait for a block", () => {
  let time: HeldTime;
  beforeEach(async () => {
    await facilitator.close();
    await client.close();
    // A payment that no block comes for asks for itself after some seconds, which a busy machine may need to send all.
    time = holdTime();
  });
  afterEach(() => time.release());

  /** Settles payments until all of them wait for a block. */
  async function startSettling(count: number) {
    const events = new EventEmitter();
    client = createHiveClient({ nodes: chain.urls, chainId: chain.chainId });
    calls = [];
    const counting: HiveClient = {
      ...countCalls(client, (method) => calls.push(method.split(".")[1] ?? method)),
      async broadcast(...given) {
        calls.push("broadcast");
        await client.broadcast(...given);
        events.emit("sent");
      },
    };
    facilitator = await startFacilitator(chain, { client: counting, waitMs: 600_000 });
    const settling: Array<ReturnType<typeof facilitator.settle>> = [];
    for (let sent = 0; sent < count; sent++) {
      const { request } = await signPayment(chain, { millis: 1 });
      const isSent = once(events, "sent");
      settling.push(facilitator.settle(request));
      await isSent;
    }
    return { ended: Promise.all(settling) };
  }

  test.each([1, 200])("share the reading of each block, so that %d cost as much as one", async (count) => {
    const { ended } = await startSettling(count);
    expect(asked().length).toBeLessThanOrEqual(3 * count);
    await chain.holdTransactions(true);
    await chain.produceBlocks();
    await expect.poll(() => calls).toContain(BLOCK);
    await expect.poll(() => calls.filter((name) => name === CLOCK).length).toBeGreaterThan(5);
    expect(asked()).toEqual([BLOCK]);
    await chain.holdTransactions(false);
    await chain.produceBlocks();
    expect((await ended).filter(({ success }) => success)).toHaveLength(count);
    expect(asked().toSorted()).toEqual(
      [BLOCK, ...Array.from({ length: 2 * count }, () => "find_transaction")].toSorted(),
    );
  });
});
