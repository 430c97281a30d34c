import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let close = async () => {};
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 2 });
});
afterEach(async () => {
  await close();
  await chain.close();
});

/** Starts a facilitator over the chain's first nodes. It trusts one node for amounts below 1.000 HBD. */
async function start(options: Parameters<typeof startFacilitator>[1] = {}, nodes = 2) {
  const view = { ...chain, urls: chain.urls.slice(0, nodes) };
  const facilitator = await startFacilitator(view, { quorum: 1, twoNodesFrom: "1.000 HBD", ...options });
  close = facilitator.close;
  return facilitator;
}

describe("large amounts", () => {
  test("are settled when two nodes agree", async () => {
    const facilitator = await start();
    const payment = await signPayment(chain, { mils: 1000 });
    const settling = facilitator.settle(payment.request);
    const asked = { transaction_id: payment.txId };
    await expect
      .poll(() => chain.call("transaction_status_api.find_transaction", asked))
      .toEqual({ status: "within_mempool" });
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ success: true });
  });

  test.each([
    [2, { code: "chain_unavailable" }],
    [3, { isValid: true }],
  ])("need two nodes that agree when one of %d shows a different authority", async (nodes, said) => {
    const facilitator = await start({}, nodes);
    const { request } = await signPayment(chain, { mils: 1000 });
    const honest = (await chain.call("database_api.find_accounts", { accounts: ["alice", "shop"] })) as {
      accounts: Array<{ active: unknown }>;
    };
    const [alice, shop] = honest.accounts;
    const active = { weight_threshold: 5, account_auths: [], key_auths: [] };
    const result = { accounts: [{ ...alice, active }, shop] };
    await chain.setFault({ kind: "lie", method: "database_api.find_accounts", result }, 1);
    expect(await facilitator.verify(request).catch((error: unknown) => error)).toMatchObject(said);
  });

  test.each([
    [2, { code: "chain_unavailable" }],
    [3, { isValid: true }],
  ])("need two nodes that agree when one of %d shows the payer without the money", async (nodes, said) => {
    const facilitator = await start({}, nodes);
    const { request } = await signPayment(chain, { mils: 1000 });
    const honest = (await chain.call("database_api.find_accounts", { accounts: ["alice", "shop"] })) as {
      accounts: object[];
    };
    const [alice, shop] = honest.accounts;
    const result = { accounts: [{ ...alice, hbd_balance: "0.999 HBD" }, shop] };
    await chain.setFault({ kind: "lie", method: "database_api.find_accounts", result }, 1);
    expect(await facilitator.verify(request).catch((error: unknown) => error)).toMatchObject(said);
  });

  test("stay pending when only one node reports a block", async () => {
    const facilitator = await start({ waitMs: 300 });
    const { request } = await signPayment(chain, { mils: 1000 });
    const result = { status: "within_irreversible_block", block_num: 1 };
    await chain.setFault({ kind: "lie", method: "transaction_status_api.find_transaction", result }, 1);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
  });

  test("stay pending after expiry while one of two nodes has them in a block", async () => {
    const facilitator = await start({ waitMs: 100 });
    await chain.holdTransactions(true);
    const { request } = await signPayment(chain, { mils: 1000 });
    await facilitator.settle(request);
    await chain.advanceTime(200);
    await chain.produceBlocks(3);
    const result = { status: "within_irreversible_block", block_num: 1 };
    await chain.setFault({ kind: "lie", method: "transaction_status_api.find_transaction", result }, 1);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.clearFaults(1);
    await expect
      .poll(() => facilitator.settle(request))
      .toMatchObject({ errorReason: "transaction_expired" });
  });

  test("can't be judged when only one of two nodes answers", async () => {
    const facilitator = await start();
    const { request } = await signPayment(chain, { mils: 1000 });
    await chain.setFault({ kind: "cut" }, 1);
    await expect(facilitator.verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
  });
});
