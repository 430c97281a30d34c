import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { countCalls } from "../../../harness/count-calls.ts";
import { type HeldTime, type HeldTimers, holdTime, holdTimers } from "../../../harness/hold-time.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";

let chain: SandboxChain;
let client: HiveClient;
let calls: string[];
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
  await chain.produceBlocks(5);
  facilitator = await open([chain.url]);
});

/** Opens a facilitator over these nodes, and records its calls. Every broadcast is followed by a block. */
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
const BROADCAST = "broadcast_transaction";
/** The time limit of the check before a payment is sent. */
const CHECK_MS = 6000;
/**
 * Takes the recorded calls, except for those about the clock and credits, which are cached for a while and
 * may be missing.
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

  test("includes fewer reads of the chain's clock and of credits than there are simultaneous payments", async () => {
    const payments = await Promise.all(Array.from({ length: 20 }, () => signPayment(chain)));
    const answers = await Promise.all(payments.map(({ request }) => facilitator.verify(request)));
    expect(answers).toEqual(payments.map(() => ({ isValid: true, payer: "alice" })));
    expect(calls.filter((name) => name === CREDITS)).toHaveLength(1);
    expect(calls.filter((name) => name === CLOCK).length).toBeLessThan(10);
  });

  test("is zero when the request alone shows a fault", async () => {
    const { request } = await signPayment(chain);
    Object.assign(request.paymentRequirements, { payTo: "bob" });
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "recipient_mismatch" });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "recipient_mismatch" });
    expect(calls).toEqual([]);
  });
});

describe("payments that wait for a block", () => {
  let time: HeldTime;
  let checkLimits: HeldTimers;
  let nodes: Array<Awaited<ReturnType<typeof startScriptedNode>>>;
  beforeEach(async () => {
    await facilitator.close();
    await client.close();
    // After some seconds without a block, each payment asks the nodes itself, and a check that takes longer
    // fails. A busy machine may need longer than that to send all payments, so time stands still.
    time = holdTime();
    checkLimits = holdTimers(CHECK_MS);
    nodes = await Promise.all(chain.urls.map((url) => startCountedNode(url)));
  });
  afterEach(async () => {
    checkLimits.release();
    time.release();
    for (const node of nodes) await node.close();
  });

  /** Starts a proxy of a node that records the calls it receives. */
  const startCountedNode = (url: string) =>
    startScriptedNode(chain.chainId, async ({ method, params }) => {
      const { result, error } = await callRpc(url, method, params);
      return error ? { error } : { result };
    });
  const received = () => nodes.flatMap(({ calls }) => calls.map(({ method }) => method.split(".")[1]));
  const countOf = (method: string) => received().filter((name) => name === method).length;
  /** Takes the calls received so far, except those that are cached for a while. */
  const takeReceived = () => {
    const names = received().filter((name) => name !== CLOCK && name !== CREDITS);
    for (const { calls } of nodes) calls.splice(0);
    return names;
  };

  /** Settles payments until all of them wait for a block. */
  async function startSettling(count: number) {
    const urls = nodes.map(({ url }) => url);
    client = createHiveClient({ nodes: urls, chainId: chain.chainId, timeoutMs: 600_000 });
    facilitator = await startFacilitator({ ...chain, urls }, { client, waitMs: 600_000, pollMs: 200 });
    const payments = await Promise.all(Array.from({ length: count }, () => signPayment(chain, { mils: 1 })));
    const ended = Promise.all(payments.map(({ request }) => facilitator.settle(request)));
    await expect.poll(() => countOf(BROADCAST), { timeout: 240_000 }).toBe(count);
    return { ended };
  }

  test.each([1, 200])("cost one read of each new block (payments: %d)", async (count) => {
    const { ended } = await startSettling(count);
    expect(takeReceived().length).toBeLessThanOrEqual(3 * count);
    await chain.holdTransactions(true);
    for (let block = 0; block < 2; block++) {
      await chain.produceBlocks();
      await expect.poll(received).toContain(BLOCK);
      // Waits for three readings: each asks two nodes for their heads, and one of them for its new block.
      await expect.poll(() => countOf(CLOCK)).toBeGreaterThanOrEqual(6);
      expect(takeReceived()).toEqual([BLOCK]);
    }
    await chain.holdTransactions(false);
    await chain.produceBlocks();
    expect((await ended).filter(({ success }) => success)).toHaveLength(count);
    expect(takeReceived().toSorted()).toEqual(
      [BLOCK, ...Array.from({ length: 2 * count }, () => "find_transaction")].toSorted(),
    );
  });
});
