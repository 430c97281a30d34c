import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let close = async () => {};
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
});
afterEach(async () => {
  await close();
  await chain.close();
});

async function start(options: Parameters<typeof startFacilitator>[1] = {}) {
  const facilitator = await startFacilitator(chain, { twoNodesFromMillis: 1000, ...options });
  close = facilitator.close;
  return facilitator;
}

describe("amounts over the setting", () => {
  test("are settled when two nodes agree", async () => {
    const facilitator = await start();
    const payment = await signPayment(chain, { millis: 1000 });
    const settling = facilitator.settle(payment.request);
    const asked = { transaction_id: payment.txId };
    await expect
      .poll(() => chain.call("transaction_status_api.find_transaction", asked), { timeout: 5000 })
      .toEqual({ status: "within_mempool" });
    await chain.produceBlocks();
    expect(await settling).toMatchObject({ success: true });
  });

  test("are refused when one node shows an authority that the other does not know", async () => {
    const facilitator = await start();
    const { request } = await signPayment(chain, { millis: 1000 });
    const honest = (await chain.call("database_api.find_accounts", { accounts: ["alice", "shop"] })) as {
      accounts: Array<{ active: unknown }>;
    };
    const [alice, shop] = honest.accounts;
    const active = { weight_threshold: 5, account_auths: [], key_auths: [] };
    const result = { accounts: [{ ...alice, active }, shop] };
    await chain.setFault({ kind: "lie", method: "database_api.find_accounts", result }, 1);
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "authority_not_satisfied" });
  });

  test("are refused when one node shows that the payer has not so much", async () => {
    const facilitator = await start();
    const { request } = await signPayment(chain, { millis: 1000 });
    const honest = (await chain.call("database_api.find_accounts", { accounts: ["alice", "shop"] })) as {
      accounts: object[];
    };
    const [alice, shop] = honest.accounts;
    const result = { accounts: [{ ...alice, hbd_balance: "0.999 HBD" }, shop] };
    await chain.setFault({ kind: "lie", method: "database_api.find_accounts", result }, 1);
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "insufficient_funds" });
  });

  test("wait when one node alone says that a block has it", async () => {
    const facilitator = await start({ waitMs: 300 });
    const { request } = await signPayment(chain, { millis: 1000 });
    const result = { status: "within_irreversible_block", block_num: 1 };
    await chain.setFault({ kind: "lie", method: "transaction_status_api.find_transaction", result }, 1);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
  });

  test("are not given up after their end while one of two nodes has them in a block", async () => {
    const facilitator = await start({ waitMs: 100 });
    await chain.holdTransactions(true);
    const { request } = await signPayment(chain, { millis: 1000 });
    await facilitator.settle(request);
    await chain.advanceTime(200);
    await chain.produceBlocks(3);
    const result = { status: "within_irreversible_block", block_num: 1 };
    await chain.setFault({ kind: "lie", method: "transaction_status_api.find_transaction", result }, 1);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.clearFaults(1);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "transaction_expired" });
  });

  test("can't be judged when only one of two nodes answers", async () => {
    const facilitator = await start();
    const { request } = await signPayment(chain, { millis: 1000 });
    await chain.setFault({ kind: "cut" }, 1);
    await expect(facilitator.verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
  });
});
