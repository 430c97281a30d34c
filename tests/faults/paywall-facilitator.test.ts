import { afterEach, describe, expect, test } from "vitest";
import { signPayment } from "../../lib/x402/client/index.ts";
import type { PaywallOptions } from "../../lib/x402/express.ts";
import { withPaywall } from "../../lib/x402/next.ts";
import { askPaid, offerOf, receiptOf } from "../harness/ask-paid.ts";
import { openShop } from "../harness/open-shop.ts";
import type { FacilitatorTreatment } from "../harness/serve-facilitator.ts";

const { shop, serve } = await openShop();
let runs = 0;
afterEach(() => shop.chain.holdTransactions(false));

async function sell(options: Partial<PaywallOptions<Request>> = {}) {
  runs = 0;
  const answer = withPaywall({ ...shop.price, timeoutMs: 2000, ...options }, (_request, { payer, txId }) => {
    runs += 1;
    return Response.json({ payer, txId });
  });
  return serve((request) => answer(request));
}

const on =
  (path: string, treatment: FacilitatorTreatment) =>
  (called: string): FacilitatorTreatment =>
    called === path ? treatment : "pass";

const nonsense: Array<[string, FacilitatorTreatment]> = [
  ["cuts the connection", "cut"],
  ["hangs", "hang"],
  ["is overloaded", { status: 429, text: "{}", headers: { "retry-after": "7" } }],
  ["answers 500", { status: 500, text: '{"isValid":true,"success":true}' }],
  ["answers 503", { status: 503, text: "" }],
  ["answers with a page", { status: 200, text: "<html>hello</html>" }],
  ["answers with an empty object", { status: 200, text: "{}" }],
  ["answers with a list", { status: 200, text: "[]" }],
  ["redirects", { status: 307, text: "", headers: { location: "/elsewhere" } }],
  ["answers with 100 KB", { status: 200, text: `{"isValid":true,"x":"${"x".repeat(100_000)}"}` }],
];

describe("a failing facilitator", () => {
  test.each(nonsense)(
    "causes 503 with Retry-After, without a handler run or charge, when it %s",
    async (_name, treatment) => {
      const url = await sell();
      const payment = await shop.payFor(url);
      const before = await shop.balances();
      shop.door.treat(on("/verify", treatment));
      const response = await fetch(url, { headers: { "x-payment": payment } });
      expect(response.status).toBe(503);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await response.json()).toEqual({ code: "facilitator_unavailable", error: expect.any(String) });
      expect([runs, await shop.balances()]).toEqual([0, before]);
      shop.door.treat(() => "pass");
      expect((await askPaid(url, payment)).status).toBe(200);
    },
  );

  test("causes 503 without a handler run when it is unreachable", async () => {
    const url = await sell({ facilitatorUrl: "http://127.0.0.1:9" });
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    expect([response.status, runs]).toEqual([503, 0]);
  });

  test.each([
    ["seven seconds unchanged", "7", "7"],
    ["a day as five minutes", "86400", "300"],
    ["zero seconds as one", "0", "1"],
    ["an invalid time as five seconds", "soon", "5"],
  ])("makes the payer wait as asked, within limits: %s", async (_, asked, passedOn) => {
    const url = await sell();
    shop.door.treat(on("/verify", { status: 429, text: "", headers: { "retry-after": asked } }));
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    expect(response.headers.get("retry-after")).toBe(passedOn);
  });

  test("causes 503 when it is too busy to settle, and the payment stays usable", async () => {
    const url = await sell();
    const payment = await shop.payFor(url);
    shop.door.treat(on("/settle", { status: 429, text: "", headers: { "retry-after": "7" } }));
    const response = await fetch(url, { headers: { "x-payment": payment } });
    expect([response.status, (await response.json()).code]).toEqual([503, "facilitator_unavailable"]);
    shop.door.treat(() => "pass");
    expect((await askPaid(url, payment)).status).toBe(200);
  });

  test("counts as unavailable when it names another payer", async () => {
    const url = await sell();
    shop.door.treat(on("/verify", { change: (answer) => ({ ...answer, payer: "bob" }) }));
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    expect([response.status, runs]).toEqual([503, 0]);
  });
});

describe("a facilitator's refusal", () => {
  test("becomes the code of a 402 with accepts", async () => {
    const url = await sell();
    const requirements = await offerOf(await fetch(url));
    const payment = await signPayment({ ...shop.purse("dave"), requirements });
    const response = await fetch(url, { headers: { "x-payment": payment } });
    expect(await response.clone().json()).toMatchObject({ code: "insufficient_funds" });
    expect(await offerOf(response)).toMatchObject({ payTo: "shop" });
    expect(runs).toBe(0);
  });

  test("does not reach the client in its own words", async () => {
    const url = await sell();
    const text = '{"isValid":false,"invalidReason":"<b>internal host 10.0.0.7</b>"}';
    shop.door.treat(on("/verify", { status: 200, text }));
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    const body = await response.text();
    expect([response.status, body.includes("10.0.0.7")]).toEqual([402, false]);
    expect(JSON.parse(body)).toMatchObject({ code: "payment_rejected" });
  });

  test("to settle causes 402, and the same payment can be tried again", async () => {
    const url = await sell();
    const payment = await shop.payFor(url);
    const refusal = { status: 200, text: '{"success":false,"errorReason":"broadcast_rejected"}' };
    shop.door.treat(on("/settle", refusal));
    const refused = await fetch(url, { headers: { "x-payment": payment } });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      402,
      "broadcast_rejected",
    ]);
    shop.door.treat(() => "pass");
    expect((await askPaid(url, payment)).status).toBe(200);
  });

  test("to settle keeps the payment tied to its resource, because a delayed call may still settle it", async () => {
    const url = await sell();
    const { extra: _offered, ...own } = await offerOf(await fetch(`${url}/one`));
    const payment = await signPayment({ ...shop.purse(), requirements: own });
    const refusal = { status: 200, text: '{"success":false,"errorReason":"broadcast_rejected"}' };
    shop.door.treat(on("/settle", refusal));
    expect((await askPaid(`${url}/one`, payment)).status).toBe(402);
    shop.door.treat(() => "pass");
    expect((await askPaid(`${url}/other`, payment)).status).toBe(402);
    expect((await askPaid(`${url}/one`, payment)).status).toBe(200);
  });

  test("counts even with status 400", async () => {
    const url = await sell();
    const text = '{"isValid":false,"invalidReason":"invalid_payload"}';
    shop.door.treat(on("/verify", { status: 400, text }));
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    expect([response.status, runs]).toEqual([402, 0]);
  });
});

describe("a settlement with an unclear outcome", () => {
  const lost: Array<[string, FacilitatorTreatment]> = [
    ["is lost after the block", "lose-answer"],
    ["is cut off before the block", "cut"],
    ["never comes", "hang"],
    ["is a 500", { status: 500, text: "" }],
    ["is a page", { status: 200, text: "<html>" }],
    ["names no transaction", { change: ({ txId: _txId, ...answer }) => answer }],
    ["names no payer", { change: ({ payer: _payer, ...answer }) => answer }],
    ["names another transaction", { change: (answer) => ({ ...answer, txId: "0".repeat(40) }) }],
    ["names another payer", { change: (answer) => ({ ...answer, payer: "bob" }) }],
  ];
  test.each(lost)(
    "causes 503 settlement_pending, and the same payment delivers later, charged once: the answer %s",
    async (_name, treatment) => {
      const url = await sell();
      const payment = await shop.payFor(url);
      const before = await shop.balances();
      shop.door.treat(on("/settle", treatment));
      const response = await fetch(url, { headers: { "x-payment": payment } });
      expect([response.status, response.headers.has("retry-after"), runs]).toEqual([503, true, 0]);
      expect(await response.json()).toMatchObject({ code: "settlement_pending" });
      shop.door.treat(() => "pass");
      const delivered = await askPaid(url, payment);
      expect([delivered.status, runs]).toEqual([200, 1]);
      expect(receiptOf(delivered)).toMatchObject({ success: true, payer: "alice" });
      expect((await shop.balances()).alice).toBe(before.alice - 50);
      expect((await askPaid(url, payment)).status).toBe(402);
    },
  );

  test("is retried with the same Idempotency-Key", async () => {
    const url = await sell();
    const payment = await shop.payFor(url);
    const from = shop.door.calls.length;
    shop.door.treat(on("/settle", "lose-answer"));
    await fetch(url, { headers: { "x-payment": payment } });
    await fetch(url, { headers: { "x-payment": payment } });
    shop.door.treat(() => "pass");
    await askPaid(url, payment);
    const keys = shop.door.calls
      .slice(from)
      .flatMap(({ path, idempotencyKey }) => (path === "/settle" ? [idempotencyKey] : []));
    expect([keys.length >= 3, new Set(keys).size]).toEqual([true, 1]);
  });

  test("is pending until the block arrives, then delivers", async () => {
    const url = await sell();
    const payment = await shop.payFor(url);
    await shop.chain.holdTransactions(true);
    for (let tries = 0; tries < 2; tries++)
      expect((await fetch(url, { headers: { "x-payment": payment } })).status).toBe(503);
    expect(runs).toBe(0);
    await shop.chain.holdTransactions(false);
    expect((await askPaid(url, payment)).status).toBe(200);
    expect(runs).toBe(1);
  });

  test("counts even if a stranger broadcast the payment first", async () => {
    const url = await sell();
    const payment = await shop.payFor(url);
    const { payload } = JSON.parse(Buffer.from(payment, "base64").toString());
    await shop.chain.call("condenser_api.broadcast_transaction", [payload.signedTransaction]);
    await shop.chain.produceBlocks(1);
    expect((await askPaid(url, payment)).status).toBe(200);
  });

  test("delivers nothing when a stranger got the facilitator's success", async () => {
    const url = await sell();
    const requirements = await offerOf(await fetch(url));
    const payment = await signPayment({ ...shop.purse(), requirements });
    const paymentPayload = JSON.parse(Buffer.from(payment, "base64").toString());
    const stolen = await shop.facilitator.settle({ paymentPayload, paymentRequirements: requirements });
    expect(stolen.success).toBe(true);
    const response = await fetch(url, { headers: { "x-payment": payment } });
    expect([response.status, runs]).toEqual([402, 0]);
  });
});

describe("a facilitator in the same process", () => {
  test("settles like a remote one", async () => {
    const url = await sell({ facilitator: shop.facilitator, facilitatorUrl: undefined, timeoutMs: 8000 });
    const from = shop.door.calls.length;
    expect((await askPaid(url, await shop.payFor(url))).status).toBe(200);
    expect(shop.door.calls.length).toBe(from);
  });

  test("causes 503 when it rejects or hangs", async () => {
    const broken = {
      verify: () => Promise.reject(new Error("down")),
      settle: () => Promise.reject(new Error("down")),
    };
    const hanging = {
      verify: () => new Promise<never>(() => {}),
      settle: () => new Promise<never>(() => {}),
    };
    for (const facilitator of [broken, hanging]) {
      const url = await sell({ facilitator, facilitatorUrl: undefined, timeoutMs: 100 });
      expect((await fetch(url, { headers: { "x-payment": await shop.payFor(url) } })).status).toBe(503);
    }
    expect(runs).toBe(0);
  });
});
