import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answers } from "../../../lib/contract/answers.ts";
import { balancesOf } from "../../harness/balances-of.ts";
import { signPayment } from "../../harness/sign-payment.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let gateway: Gateway;
beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  gateway = await startGateway({
    settings: { HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
  });
});
afterAll(async () => {
  await gateway?.close();
  await chain?.close();
});

async function post(path: "settle" | "verify", body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/api/x402/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const settle = (body: unknown, key?: string) =>
  post("settle", body, key === undefined ? {} : { "idempotency-key": key });

describe("POST /settle", () => {
  test.each(["legacy", "hf26"] as const)(
    "moves the money, and returns transaction, block, payer and network (%s)",
    async (packing) => {
      const before = await balancesOf(chain);
      const { request, txId } = await signPayment(chain, { packing });
      const answer = await settle(request);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const blockNum = answer.body.blockNum;
      expect(answer.body).toEqual({
        success: true,
        txId,
        blockNum: expect.any(Number),
        payer: "alice",
        transaction: txId,
        network: "chain:sandbox",
        extra: { blockNum },
      });
      const found = await chain.call("condenser_api.get_transaction", [txId]);
      expect(found).toMatchObject({ transaction_id: txId, block_num: blockNum });
      const after = await balancesOf(chain);
      expect([after.alice - before.alice, after.shop - before.shop]).toEqual([-50, 50]);
    },
  );

  test("returns payment_replayed with the transaction for a repeat, and verify gives the same reason", async () => {
    const { request, txId } = await signPayment(chain);
    const first = await settle(request);
    const again = await settle(request);
    expect(again.body).toEqual({
      ...first.body,
      success: false,
      errorReason: "payment_replayed",
    });
    const verified = await post("verify", request);
    expect(verified.body).toEqual({ isValid: false, invalidReason: "payment_replayed", payer: "alice" });
    expect(first.body.txId).toBe(txId);
  });

  test("returns success to one of ten simultaneous callers and moves the money once", async () => {
    const before = await balancesOf(chain);
    const { request, txId } = await signPayment(chain);
    const answers = await Promise.all(Array.from({ length: 10 }, () => settle(request)));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    for (const { body } of answers.filter((answer) => !answer.body.success)) {
      expect(["settlement_pending", "payment_replayed"]).toContain(body.errorReason);
      expect(body.txId).toBe(txId);
    }
    expect((await balancesOf(chain)).shop - before.shop).toBe(50);
  });

  test("repeats its answer only for the same Idempotency-Key", async () => {
    const { request } = await signPayment(chain);
    const first = await settle(request, "order-1");
    expect(first.body.success).toBe(true);
    expect((await settle(request, "order-1")).body).toEqual(first.body);
    expect((await settle(request, "order-2")).body.errorReason).toBe("payment_replayed");
    expect((await settle(request)).body.errorReason).toBe("payment_replayed");
  });

  test("returns the same answer to simultaneous callers with one Idempotency-Key", async () => {
    const before = await balancesOf(chain);
    const { request } = await signPayment(chain);
    const answers = await Promise.all(Array.from({ length: 5 }, () => settle(request, "order-3")));
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect(answers[0]?.body.success).toBe(true);
    expect((await balancesOf(chain)).shop - before.shop).toBe(50);
  });

  test("an Idempotency-Key that another payer used blocks no payment and reveals nothing", async () => {
    const theirs = await signPayment(chain, { from: "bob" });
    await settle(theirs.request, "order-4");
    const { request, txId } = await signPayment(chain);
    const first = await settle(request, "order-4");
    expect(first.body).toMatchObject({ success: true, txId, payer: "alice" });
    expect((await settle(request, "order-4")).body).toEqual(first.body);
    expect((await settle(theirs.request, "order-4")).body).toMatchObject({ success: true, payer: "bob" });
  });

  test("an Idempotency-Key returns no earlier answer for a body with another resource", async () => {
    const { request, txId } = await signPayment(chain);
    const elsewhere = {
      ...request,
      paymentRequirements: { ...request.paymentRequirements, resource: "http://shop.example/articles/two" },
    };
    expect((await settle(request, "order-7")).body.success).toBe(true);
    expect((await settle(elsewhere, "order-7")).body).toMatchObject({
      success: false,
      errorReason: "payment_replayed",
      txId,
    });
    expect((await settle(request, "order-7")).body.success).toBe(true);
  });

  describe("`resource` for a caller with a key", () => {
    const settleFor = async (resource: string) => {
      const { request } = await signPayment(chain);
      const paymentRequirements = { ...request.paymentRequirements, resource: "@" };
      return settle(JSON.stringify({ ...request, paymentRequirements }).replace('"@"', resource), "order-8");
    };
    const nested = (open: string, close: string, depth: number) =>
      `${open.repeat(depth)}1${close.repeat(depth)}`;

    test.each([
      ["a text", '"http://shop.example/a"'],
      ["the longest text", `"${"a".repeat(2048)}"`],
      ["version 2's object with additional fields", '{"url":"http://shop.example/a","tags":["x"]}'],
      [
        "version 2's object with a deep field next to the address",
        `{"url":"/a","other":${nested("[", "]", 12_000)}}`,
      ],
    ])("accepts %s", async (_, resource) => {
      expect((await settleFor(resource)).body).toMatchObject({ success: true });
    });

    test.each([
      ["nested arrays", nested("[", "]", 14_000)],
      ["nested objects", nested('{"url":', "}", 3000)],
      ["an overlong text", `"${"a".repeat(2049)}"`],
      ["a number", "1"],
      ["an object without an address", "{}"],
    ])("returns 400 for %s", async (_, resource) => {
      const { status, body } = await settleFor(resource);
      expect([status, body.code, body.errorReason]).toEqual([400, "invalid_request", "invalid_payload"]);
    });
  });

  test("a refused payment leaves its Idempotency-Key free", async () => {
    expect((await settle((await signPayment(chain, { from: "dave" })).request, "order-6")).status).toBe(200);
    const answer = await settle((await signPayment(chain)).request, "order-6");
    expect(answer.body).toMatchObject({ success: true });
  });

  test.each(["x".repeat(129), "two words"])("returns 400 for the key %j", async (key) => {
    const answer = await settle((await signPayment(chain)).request, key);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, errorReason: "invalid_payload" });
  });

  test("refuses a settled payment for another payee, price or nonce", async () => {
    const { request } = await signPayment(chain);
    await settle(request, "order-5");
    const altered = (change: object) => ({
      ...request,
      paymentRequirements: { ...request.paymentRequirements, ...change },
    });
    expect((await settle(altered({ payTo: "bob" }), "order-5")).body.errorReason).toBe("recipient_mismatch");
    expect((await settle(altered({ maxAmountRequired: "0.001 HBD" }), "order-5")).body.errorReason).toBe(
      "amount_mismatch",
    );
    const payload = { ...request.paymentPayload.payload, nonce: "f".repeat(32) };
    const renamed = { ...request, paymentPayload: { ...request.paymentPayload, payload } };
    expect((await settle(renamed)).body.errorReason).toBe("nonce_mismatch");
  });

  test("recognizes a payment signed again in the other packing as the same payment", async () => {
    const before = await balancesOf(chain);
    const nonce = "0123456789abcdef0123456789abcdef";
    await chain.pause(true);
    const legacy = await signPayment(chain, { nonce, packing: "legacy" });
    const alternate = await signPayment(chain, { nonce, packing: "hf26" });
    await chain.pause(false);
    expect(alternate.alternateId).toBe(legacy.txId);
    expect((await settle(legacy.request)).body.success).toBe(true);
    expect((await settle(alternate.request)).body).toMatchObject({
      success: false,
      errorReason: "payment_replayed",
      txId: legacy.txId,
    });
    expect((await balancesOf(chain)).shop - before.shop).toBe(50);
  });

  test("refuses a payment that verify refuses, without broadcasting a transaction", async () => {
    const { request } = await signPayment(chain, { from: "dave" });
    const answer = await settle(request);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: false,
      errorReason: "insufficient_funds",
      payer: "dave",
      transaction: "",
      network: "chain:sandbox",
    });
  });

  test.each([
    [400, "{"],
    [400, "{}"],
    [413, JSON.stringify({ filler: "x".repeat(33_000) })],
  ])("returns %i in the settlement's shape for a malformed or oversized body", async (status, body) => {
    const answer = await settle(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      success: false,
      errorReason: "invalid_payload",
      transaction: "",
      network: "chain:sandbox",
      requestId: answer.headers.get("x-request-id"),
    });
    expect(answers.SettleFailure.safeParse(answer.body).error).toBeUndefined();
  });

  test("returns 503 before claiming anything when the chain is unreachable", async () => {
    const { request } = await signPayment(chain);
    await chain.setFault({ kind: "cut" });
    const answer = await settle(request).finally(() => chain.clearFaults());
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(answer.body).toMatchObject({ success: false, errorReason: "chain_unavailable" });
    expect((await settle(request)).body.success).toBe(true);
  });
});
