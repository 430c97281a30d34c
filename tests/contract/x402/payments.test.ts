import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPacedRefunds } from "../../../lib/x402/refunds/paced-refunds.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { readChecked } from "../../harness/check-answer.ts";
import { postingKey } from "../../harness/form-access-token.ts";
import { signPayment } from "../../harness/sign-payment.ts";
import { secretOf, signTransaction, transferOf } from "../../harness/sign-transaction.ts";
import { type LocalGateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { wifOf } from "../../harness/start-shop.ts";

let chain: SandboxChain;
let gateway: LocalGateway;
beforeEach(async () => {
  chain = await startSandboxChain();
  await chain.produceBlocks(2);
  gateway = await startGateway({
    settings: { HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
  });
});
afterEach(async () => {
  await gateway?.close();
  await chain?.close();
});

const door = createAuthClient(() => gateway.url);

async function ask(account: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/api/x402/payments?account=${account}`, { headers });
  return { status: response.status, headers: response.headers, body: await readChecked("GET", response) };
}

async function pay(options: Parameters<typeof signPayment>[1] = {}) {
  const { request, txId } = await signPayment(chain, options);
  const { signedTransaction } = request.paymentPayload.payload;
  await chain.call("condenser_api.broadcast_transaction", [signedTransaction]);
  await chain.produceBlocks();
  return txId;
}

describe("GET /api/x402/payments", () => {
  test("shows a payment to payer and payee, with their balances after it", async () => {
    const txId = await pay({ from: "alice", to: "shop", mils: 50 });
    const payment = { txId, from: "alice", to: "shop", amount: "0.050 HBD" };
    expect((await ask("alice")).body).toMatchObject({
      account: "alice",
      balance: "99.950 HBD",
      payments: [{ ...payment, direction: "paid" }],
    });
    const { status, headers, body } = await ask("shop");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toMatchObject({ balance: "0.050 HBD", payments: [{ ...payment, direction: "earned" }] });
    expect(body.payments[0].blockNum).toBeGreaterThan(0);
    expect(Date.parse(body.payments[0].time)).not.toBeNaN();
  });

  test("marks a refund and the refunded payment, with the reason for buyer and seller alone", async () => {
    const txId = await pay({ from: "alice", to: "shop", mils: 50 });
    await chain.produceBlocks(4);
    const refunds = createPacedRefunds(
      {
        ...{ account: "shop", activeKey: wifOf("shop"), store: gateway.services.store },
        ...{ nodes: [chain.url], chainId: chain.chainId },
      },
      { waitMs: 100, pollMs: 500 },
    );
    const { txId: refundedBy } = await refunds.refund(txId, "the report was empty");
    await chain.produceBlocks();
    const { payments } = (await ask("alice")).body;
    const refund = { txId: refundedBy, from: "shop", to: "alice", direction: "earned", refundOf: txId };
    expect(payments).toMatchObject([refund, { txId, direction: "paid", refundedBy }]);
    expect(JSON.stringify(payments)).not.toContain("the report was empty");
    for (const name of ["alice", "shop"]) {
      const login = await door.answer(await door.challenge(name), postingKey(name), name);
      const { cookie } = door.cookieOf(login);
      const own = (await ask(name, { cookie })).body.payments;
      expect(own[0]).toMatchObject({ refundOf: txId, reason: "the report was empty" });
      expect((await ask("shop", { cookie })).body.payments[0].reason).toBe(
        name === "shop" ? "the report was empty" : undefined,
      );
    }
    await refunds.close();
  });

  test("marks a wrong transfer and its return like a refund", async () => {
    const send = async (from: string, to: string, mils: number, memo: string) => {
      const transfer = transferOf(from, to, mils, memo);
      const { id, json } = await signTransaction(chain, [transfer], { keys: [secretOf(from, "active")] });
      await chain.call("condenser_api.broadcast_transaction", [json]);
      await chain.produceBlocks();
      return id;
    };
    const txId = await send("alice", "shop", 49, `x402:${"A".repeat(32)}`);
    const refundedBy = await send("shop", "alice", 49, `x402:return:${txId}`);
    const { payments } = (await ask("alice")).body;
    expect(payments.slice(0, 2)).toMatchObject([
      { txId: refundedBy, direction: "earned", refundOf: txId },
      { txId, direction: "paid", refundedBy },
    ]);
  });

  test("marks each of several transfers in a transaction by its own refund or return", async () => {
    const send = async (from: string, to: string, parts: ReadonlyArray<[mils: number, memo: string]>) => {
      const transfers = parts.map(([mils, memo]) => transferOf(from, to, mils, memo));
      const { id, json } = await signTransaction(chain, transfers, { keys: [secretOf(from, "active")] });
      await chain.call("condenser_api.broadcast_transaction", [json]);
      await chain.produceBlocks();
      return id;
    };
    const memo = `x402:${"A".repeat(32)}`;
    const txId = await send(
      "alice",
      "shop",
      [51, 52, 53, 54].map((mils) => [mils, memo]),
    );
    const refund = await send("shop", "alice", [[52, `x402:refund:${txId}:1`]]);
    const returned = await send("shop", "alice", [[54, `x402:return:${txId}`]]);
    const first = await send("shop", "alice", [[51, `x402:refund:${txId}`]]);
    const { payments } = (await ask("alice")).body;
    const paid = payments.filter((payment: { txId: string }) => payment.txId === txId);
    const backOf = Object.fromEntries(
      paid.map(({ amount, refundedBy }: { amount: string; refundedBy?: string }) => [amount, refundedBy]),
    );
    expect(backOf).toEqual({
      "0.051 HBD": first,
      "0.052 HBD": refund,
      "0.053 HBD": undefined,
      "0.054 HBD": returned,
    });
    expect(payments.find((payment: { txId: string }) => payment.txId === refund).refundOf).toBe(`${txId}:1`);
  });

  test("marks no payment as refunded by a stranger's memo", async () => {
    const txId = await pay({ from: "alice", to: "shop", mils: 50 });
    const { json } = await signTransaction(chain, [transferOf("bob", "alice", 1, `x402:refund:${txId}`)], {
      keys: [secretOf("bob", "active")],
    });
    await chain.call("condenser_api.broadcast_transaction", [json]);
    await chain.produceBlocks();
    const { payments } = (await ask("alice")).body;
    expect(payments.find((one: { txId: string }) => one.txId === txId).refundedBy).toBeUndefined();
  });

  test("omits transfers with other memos and sorts newest first", async () => {
    const { json } = await signTransaction(chain, [transferOf("bob", "carol", 7, "rent")], {
      keys: [secretOf("bob", "active")],
    });
    await chain.call("condenser_api.broadcast_transaction", [json]);
    const first = await pay({ from: "bob", to: "carol", mils: 10 });
    const second = await pay({ from: "carol", to: "bob", mils: 20 });
    const { payments } = (await ask("carol")).body;
    expect(payments.map(({ txId }: { txId: string }) => txId)).toEqual([second, first]);
    expect(payments.map(({ direction }: { direction: string }) => direction)).toEqual(["paid", "earned"]);
  });

  test("returns at most 100 payments", async () => {
    for (let count = 0; count < 102; count++) {
      const { request } = await signPayment(chain, { from: "bob", to: "erin", mils: 1 });
      await chain.call("condenser_api.broadcast_transaction", [
        request.paymentPayload.payload.signedTransaction,
      ]);
    }
    await chain.produceBlocks();
    // A node that takes seconds on a busy machine counts as unavailable, and the caller asks again.
    const count = async () => (await ask("erin")).body.payments?.length;
    await expect.poll(count).toBe(100);
  });

  test("reads nodes that serve only the old API", async () => {
    await pay({ from: "bob", to: "erin", mils: 1 });
    const { payments } = (await ask("bob")).body;
    expect(payments).not.toEqual([]);
    // The old API shows only irreversible transfers.
    await chain.produceBlocks(2);
    await chain.setFault({
      kind: "refuse",
      method: "account_history_api.get_account_history",
      error: { code: -32601, message: "Method not found" },
    });
    const { status, body } = await ask("bob");
    await chain.clearFaults();
    expect([status, body.payments]).toEqual([200, payments]);
  });

  test("returns 404 for an account unknown to the chain, 400 for a malformed one", async () => {
    expect(await ask("nobody")).toMatchObject({ status: 404, body: { code: "not_found" } });
    for (const wrong of ["", "A", "a%00b", "x".repeat(40)])
      expect(await ask(wrong)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test("returns 503 with Retry-After when no chain node answers", async () => {
    await chain.setFault({ kind: "cut" });
    const { status, headers, body } = await ask("alice");
    await chain.clearFaults();
    expect([status, body.code, headers.has("retry-after")]).toEqual([503, "chain_unavailable", true]);
  });
});
