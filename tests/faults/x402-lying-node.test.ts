import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHiveClient } from "../../lib/hive/client.ts";
import { signPayment } from "../harness/sign-payment.ts";
import { startFacilitator } from "../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
const closing: Array<() => Promise<unknown>> = [];
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 2 });
  await chain.produceBlocks(5);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await chain.close();
});

const BROADCAST = "condenser_api.broadcast_transaction";
const STATUS = "transaction_status_api.find_transaction";
const BLOCK = "condenser_api.get_block";
const HEAD = "condenser_api.get_dynamic_global_properties";
const ACCOUNTS = "database_api.find_accounts";

/** Starts a facilitator over the first `nodes` of the chain's three. */
async function start(options: Parameters<typeof startFacilitator>[1] = {}, nodes = 3) {
  const view = { ...chain, urls: chain.urls.slice(0, nodes) };
  const facilitator = await startFacilitator(view, options);
  closing.push(facilitator.close);
  return facilitator;
}

const lie = (method: string, result: unknown, node = 0) =>
  chain.setFault({ kind: "lie", method, result }, node);
const statusOf = (transaction_id: string, node = 2) => chain.call(STATUS, { transaction_id }, node);
/** Makes the first node show an invented next block. */
const inventNextBlock = async (transaction_ids: readonly string[]) => {
  const { head_block_number } = (await chain.call(HEAD, [], 2)) as { head_block_number: number };
  const block_id = (head_block_number + 1).toString(16).padStart(8, "0") + "0".repeat(32);
  await lie(BLOCK, { block_id, transaction_ids });
};
const untilSent = (id: string) => expect.poll(() => statusOf(id)).toEqual({ status: "within_mempool" });
const caught = (error: unknown) => error;
const headAhead = async (seconds: number) => {
  const head = (await chain.call(HEAD, [], 2)) as { time: string };
  const time = new Date(Date.parse(`${head.time}Z`) + seconds * 1000).toISOString().slice(0, 19);
  return { ...head, time };
};

describe("a node controlled by the payer", () => {
  const claims = [
    { status: "within_irreversible_block", block_num: 6 },
    { status: "within_reversible_block", block_num: 6 },
  ];
  test.each([0, 1, 2])("cannot make a payment count by itself, at index %d of three nodes", async (node) => {
    const facilitator = await start({ waitMs: 400 });
    await chain.holdTransactions(true);
    for (const claim of claims) {
      await lie(STATUS, claim, node);
      const { request } = await signPayment(chain);
      expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    }
  });

  test.each(["included", "irreversible"] as const)(
    "cannot make a payment count by itself among two nodes (finality: %s)",
    async (finality) => {
      const facilitator = await start({ waitMs: 400, finality }, 2);
      await chain.holdTransactions(true);
      await lie(STATUS, claims[0]);
      const { request } = await signPayment(chain);
      expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    },
  );

  test.each([1, 2, 3])(
    "cannot make a payment count by showing it in a block (number of nodes: %d)",
    async (nodes) => {
      const facilitator = await start({ waitMs: 400 }, nodes);
      await chain.holdTransactions(true);
      const { request, txId } = await signPayment(chain);
      await inventNextBlock([txId]);
      // A single node's report of a payment's place is believed.
      if (nodes > 1) await lie(STATUS, { status: "within_reversible_block", block_num: 7 });
      const settling = facilitator.settle(request);
      await untilSent(txId);
      await chain.produceBlocks();
      expect(await settling).toMatchObject({ errorReason: "settlement_pending" });
    },
  );

  test("cannot make a payment irreversible by naming a later irreversible block", async () => {
    const facilitator = await start({ waitMs: 600, finality: "irreversible" });
    await chain.setLag(100);
    const head = (await chain.call(HEAD, [])) as object;
    await lie(HEAD, { ...head, last_irreversible_block_num: 1000 });
    const { request, txId } = await signPayment({ ...chain, call: (m, p) => chain.call(m, p, 1) });
    const settling = facilitator.settle(request);
    await untilSent(txId);
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ errorReason: "settlement_pending" });
  });

  test("cannot by itself get a payment refused when the other node fails on a broadcast", async () => {
    const facilitator = await start({}, 2);
    const error = { code: -32003, message: "missing required active authority" };
    await chain.setFault({ kind: "refuse", method: BROADCAST, error });
    await chain.setFault({ kind: "answer", method: BROADCAST, status: 503, times: 1 }, 1);
    const { request, txId } = await signPayment(chain);
    const settling = facilitator.settle(request);
    await untilSent(txId);
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ success: true, txId });
  });

  test("cannot make a payer without money solvent", async () => {
    const { request } = await signPayment(chain, { from: "dave" });
    const found = (await chain.call(ACCOUNTS, { accounts: ["dave", "shop"] })) as { accounts: object[] };
    const [dave, shop] = found.accounts;
    await lie(ACCOUNTS, { accounts: [{ ...dave, hbd_balance: "9.000 HBD" }, shop] });
    expect(await (await start()).verify(request)).toMatchObject({ invalidReason: "insufficient_funds" });
    const two = await start({}, 2);
    expect(await two.verify(request).catch(caught)).toMatchObject({ code: "chain_unavailable" });
  });
});

describe("a single node", () => {
  test.each([
    ["from before the transaction was signed", 3],
    ["beyond the head", 9],
  ])("that names a block %s is not believed", async (_, block_num) => {
    const facilitator = await start({ waitMs: 300 }, 1);
    await chain.holdTransactions(true);
    await lie(STATUS, { status: "within_irreversible_block", block_num });
    const { request } = await signPayment(chain);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
  });
});

describe("a node that tries to stop payments", () => {
  const pays = async (nodes = 3) => {
    const facilitator = await start({}, nodes);
    const { request, txId } = await signPayment({ ...chain, call: (m, p) => chain.call(m, p, 1) });
    const settling = facilitator.settle(request);
    await untilSent(txId);
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ success: true, txId });
  };

  test.each([2, 3])("fails when it omits them from blocks, as the first of %d", async (nodes) => {
    await inventNextBlock([]);
    await pays(nodes);
  });

  test.each([
    ["null", { kind: "lie", result: null }],
    ["nonsense", { kind: "lie", result: {} }],
    ["an unknown-method error", { kind: "refuse", error: { code: -32601, message: "Method not found" } }],
    ["silence", { kind: "hang" }],
  ] as const)("fails when it answers requests for blocks with %s, even if all do", async (_, fault) => {
    for (const node of [0, 1, 2])
      for (const method of [BLOCK, "block_api.get_block"]) await chain.setFault({ ...fault, method }, node);
    await pays();
  });

  test.each([2, 3])("fails when it accepts and withholds them, as the first of %d", async (nodes) => {
    await lie(BROADCAST, {});
    await pays(nodes);
  });

  test("fails when it is the only one that names its chain", async () => {
    const error = { code: -32002, message: "Could not find API database_api" };
    for (const node of [1, 2])
      await chain.setFault({ kind: "refuse", method: "database_api.get_version", error }, node);
    await lie(BROADCAST, {});
    await pays();
    await chain.clearFaults();
    const refusal = { code: -32003, message: "missing required active authority" };
    await chain.setFault({ kind: "refuse", method: BROADCAST, error: refusal });
    await pays();
  });

  test("fails when it accepts, withholds and denies them", async () => {
    await lie(BROADCAST, {});
    await lie(STATUS, { status: "unknown" });
    await pays();
  });

  test("fails when it accepts and withholds them and reports them as pooled forever", async () => {
    await lie(BROADCAST, {});
    await lie(STATUS, { status: "within_mempool" });
    await pays();
  });

  test.each([
    ["missing required active authority", -32003],
    ["Duplicate transaction check failed", -32003],
    ["Could not find method broadcast_transaction", -32002],
  ])("fails when it refuses them: %s", async (message, code) => {
    await chain.setFault({ kind: "refuse", method: BROADCAST, error: { code, message } });
    await pays();
  });

  test("fails when it denies that any account exists", async () => {
    await lie(ACCOUNTS, { accounts: [] });
    await pays();
  });

  test("fails when its head is an hour old, 40 seconds ahead or a year ahead", async () => {
    for (const seconds of [-3600, 40, 31_536_000]) {
      await chain.clearFaults();
      await lie(HEAD, await headAhead(seconds));
      await pays();
    }
  });

  test("fails when it reports today's head with a distant block number", async () => {
    await lie(HEAD, { ...(await headAhead(0)), head_block_number: 4_000_000 });
    await pays();
  });

  test("fails when its blocks differ from the chain's", async () => {
    const payment = await signPayment(chain);
    await chain.produceBlocks(3);
    const other = { previous: `00000005${"f".repeat(32)}` };
    await lie("condenser_api.get_block_header", { ...other, timestamp: "2026-01-01T00:00:00" });
    const facilitator = await start();
    expect(await facilitator.verify(payment.request)).toMatchObject({ isValid: true });
    await chain.clearFaults();
    expect(await facilitator.verify(payment.request)).toMatchObject({ isValid: true });
  });

  test("fails when it reports the payer's resource credits as exhausted", async () => {
    const bar = { current_mana: 0, last_update_time: Math.floor(Date.now() / 1000) };
    await lie("rc_api.find_rc_accounts", { rc_accounts: [{ account: "alice", rc_manabar: bar, max_rc: 1 }] });
    await pays();
  });
});

describe("a dead node of two", () => {
  test("stops payments before anything is claimed or sent", async () => {
    const facilitator = await start({}, 2);
    const { request, txId } = await signPayment(chain);
    await chain.setFault({ kind: "cut" }, 1);
    expect(await facilitator.settle(request).catch(caught)).toMatchObject({ code: "chain_unavailable" });
    expect(await statusOf(txId)).toEqual({ status: "unknown" });
    expect(await facilitator.store.get(`x402:payment:${txId}`)).toBeNull();
  });

  test("stops only payments from `twoNodesFrom` on with a quorum of 1", async () => {
    const facilitator = await start({ quorum: 1, twoNodesFrom: "1.000 HBD" }, 2);
    const { request, txId } = await signPayment(chain);
    const large = await signPayment(chain, { mils: 1000 });
    await chain.setFault({ kind: "cut" }, 1);
    const settling = facilitator.settle(request);
    await untilSent(txId);
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ success: true });
    expect(await facilitator.settle(large.request).catch(caught)).toMatchObject({
      code: "chain_unavailable",
    });
  });
});

test("hanging nodes delay a verification or settlement only until its own deadline, which comes before theirs", async () => {
  const { request } = await signPayment(chain);
  for (const node of [0, 1, 2])
    for (const method of ["condenser_api.*", "database_api.find_accounts"])
      await chain.setFault({ kind: "hang", method }, node);
  const failovers: string[] = [];
  const client = createHiveClient({
    nodes: chain.urls,
    chainId: chain.chainId,
    timeoutMs: 20_000,
    onFailover: (call) => failovers.push(call),
  });
  // The close is not awaited, because the client's last calls end with the chain.
  closing.push(async () => void client.close());
  const facilitator = await start({ client });
  expect(await facilitator.verify(request).catch(caught)).toMatchObject({ code: "chain_unavailable" });
  expect(await facilitator.settle(request).catch(caught)).toMatchObject({ code: "chain_unavailable" });
  expect(failovers).toEqual([]);
});
