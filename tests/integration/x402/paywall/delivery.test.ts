import { describe, expect, test } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import type { PaymentRequired, PaymentRequirements } from "#lib/x402/types.ts";
import { askPaid, decodeHeader, offerOf, receiptOf } from "../../../harness/ask-paid.ts";
import { echo, type Handler, openShop } from "../../../harness/open-shop.ts";
import { soon } from "../../../harness/soon.ts";

const { shop, serve, sell } = await openShop();

describe("a paid request", () => {
  test("reaches the handler with payer and transaction id, and gets a receipt", async () => {
    const url = await sell(echo);
    const before = await shop.balances();
    const response = await askPaid(url, await shop.payFor(url));
    expect(response.status).toBe(200);
    const { payer, txId } = (await response.json()) as { payer: string; txId: string };
    expect({ payer, txId }).toEqual({ payer: "alice", txId: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(receiptOf(response)).toEqual({
      success: true,
      txId,
      transaction: txId,
      payer: "alice",
      blockNum: expect.any(Number),
      network: "chain:sandbox",
    });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    const after = await shop.balances();
    expect([before.alice - after.alice, after.shop - before.shop]).toEqual([50, 50]);
  });

  test("is verified, then settled with an Idempotency-Key, against the server's own requirements", async () => {
    const url = await sell(echo);
    const from = shop.door.calls.length;
    await askPaid(`${url}/article`, await shop.payFor(`${url}/article`));
    const [verify, settle, ...more] = shop.door.calls.slice(from);
    expect([verify?.path, settle?.path, more]).toEqual(["/verify", "/settle", []]);
    expect(settle?.idempotencyKey).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(settle?.body.paymentRequirements).toMatchObject({
      maxAmountRequired: "0.050 HBD",
      payTo: "shop",
      resource: `${url}/article`,
    });
  });

  test("reaches the handler with the framework's second argument", async () => {
    const GET = withPaywall<Request, { params: Promise<{ slug: string }> }>(
      shop.price,
      async (_request, { params, payer }) => Response.json({ ...(await params), payer }),
    );
    const url = await serve((request) => GET(request, { params: Promise.resolve({ slug: "one" }) }));
    const response = await askPaid(url, await shop.payFor(url));
    expect(await response.json()).toEqual({ slug: "one", payer: "alice" });
  });

  test("gets an answer that is not cacheable, with the handler's other headers", async () => {
    const url = await sell(
      () => new Response("x", { headers: { "cache-control": "public", "x-own": "1", "set-cookie": "a=b" } }),
    );
    const { headers } = await askPaid(url, await shop.payFor(url));
    expect([headers.get("cache-control"), headers.get("x-own"), headers.get("set-cookie")]).toEqual([
      "private, no-store",
      "1",
      "a=b",
    ]);
  });

  test("streams: the first part arrives before the last is produced", async () => {
    let finish = () => {};
    const url = await sell(() => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("first "));
          finish = () => {
            controller.enqueue(new TextEncoder().encode("last"));
            controller.close();
          };
        },
      });
      return new Response(body, { headers: { "content-type": "text/plain" } });
    });
    const response = await askPaid(url, await shop.payFor(url));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("first ");
    finish();
    expect((await reader?.read())?.value).toBe("last");
  });
});

describe("a paywall", () => {
  test("refuses the same header after delivery with 402 payment_replayed, without a call or charge", async () => {
    const url = await sell(echo);
    const payment = await shop.payFor(url);
    await askPaid(url, payment);
    const [calls, before] = [shop.door.calls.length, await shop.balances()];
    const again = await askPaid(url, payment);
    expect(again.status).toBe(402);
    expect(await again.json()).toMatchObject({ code: "payment_replayed", accepts: [{ payTo: "shop" }] });
    expect(shop.door.calls.length).toBe(calls);
    expect(await shop.balances()).toEqual(before);
  });

  test("runs the handler once for ten simultaneous requests with one payment, and answers one with 200", async () => {
    let runs = 0;
    let answers = 0;
    const url = await sell(async (request, context) => {
      runs += 1;
      // Each run lasts until every other run has been answered or has started.
      await soon(() => expect(runs + answers).toBeGreaterThanOrEqual(10));
      return echo(request, context);
    });
    const payment = await shop.payFor(url);
    const ask = async () => {
      const { status } = await fetch(url, { headers: { "x-payment": payment } });
      answers += 1;
      return status;
    };
    const statuses = await Promise.all(Array.from({ length: 10 }, ask));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => ![200, 402, 503].includes(status))).toEqual([]);
    expect(runs).toBe(1);
  });

  /** Creates a handler whose first run waits to be released. */
  function holdFirst() {
    let reach = () => {};
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let runs = 0;
    const handler: Handler = async () => {
      runs += 1;
      const run = runs;
      if (run === 1) {
        reach();
        await released;
      }
      return new Response(`run ${run}`);
    };
    return { handler, reached, release };
  }

  test("returns 503 for a repeat of the payment while the handler works", async () => {
    const { handler, reached, release } = holdFirst();
    const url = await sell(handler);
    const headers = { "x-payment": await shop.payFor(url) };
    const first = fetch(url, { headers });
    await reached;
    const second = await fetch(url, { headers });
    expect([second.status, await second.json()]).toMatchObject([503, { code: "settlement_pending" }]);
    release();
    expect(await (await first).text()).toBe("run 1");
    expect(await (await fetch(url, { headers })).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("delivers nothing to a request whose claim a repeat took over while its handler worked", async () => {
    const store = createMemoryClaimStore();
    const leases: Array<[key: string, holder: string]> = [];
    const setIfAbsent: typeof store.setIfAbsent = (key, value, ttlSeconds) => {
      if (key.startsWith("x402:lease:")) leases.push([key, value]);
      return store.setIfAbsent(key, value, ttlSeconds);
    };
    const { handler, reached, release } = holdFirst();
    const url = await sell(handler, { store: { ...store, setIfAbsent } });
    const headers = { "x-payment": await shop.payFor(url) };
    const first = fetch(url, { headers });
    await reached;
    for (const lease of leases) await store.deleteIf(...lease);
    expect(await (await fetch(url, { headers })).text()).toBe("run 2");
    release();
    const late = await first;
    expect([late.status, await late.json()]).toMatchObject([503, { code: "settlement_pending" }]);
  });

  test("refuses the same transaction with another nonce field", async () => {
    const url = await sell(echo);
    const payment = await shop.payFor(url);
    await askPaid(url, payment);
    const decoded = JSON.parse(Buffer.from(payment, "base64").toString()) as { payload: { nonce: string } };
    decoded.payload.nonce = "f".repeat(32);
    const forged = Buffer.from(JSON.stringify(decoded)).toString("base64");
    expect(await (await askPaid(url, forged)).json()).toMatchObject({ code: "nonce_mismatch" });
  });

  test("accepts a transaction with a client's nonce only for the first resource it is sent to", async () => {
    const store = createMemoryClaimStore();
    const [one, other] = [await sell(echo, { store }), await sell(echo, { store })];
    const { extra: _offered, ...own } = await offerOf(await fetch(one));
    const payment = await signPayment({ ...shop.purse(), requirements: own });
    expect((await askPaid(one, payment)).status).toBe(200);
    expect(await (await askPaid(other, payment)).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("opens no other resource for a charged transaction whose content is still owed", async () => {
    let isBroken = true;
    const url = await sell(
      (request) => new Response(new URL(request.url).pathname, { status: isBroken ? 500 : 200 }),
    );
    const { extra: _offered, ...own } = await offerOf(await fetch(`${url}/one`));
    const payment = await signPayment({ ...shop.purse(), requirements: own });
    expect((await askPaid(`${url}/one`, payment)).status).toBe(500);
    isBroken = false;
    expect(await (await askPaid(`${url}/other`, payment)).json()).toMatchObject({ code: "payment_replayed" });
    expect(await (await askPaid(`${url}/one`, payment)).text()).toBe("/one");
  });

  test("without a store, remembers payments to its process's other paywalls, whatever a facilitator says", async () => {
    const [one, other] = [await sell(echo), await sell(echo)];
    const { extra: _offered, ...own } = await offerOf(await fetch(one));
    const payment = await signPayment({ ...shop.purse(), requirements: own });
    const receipt = receiptOf(await askPaid(one, payment));
    const credulous = {
      verify: async () => ({ isValid: true }),
      settle: async () => receipt,
    };
    const third = await sell(echo, { facilitatorUrl: undefined, facilitator: credulous });
    for (const url of [other, third])
      expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("accepts an offered nonce only for the offer's resource and method, even before it is spent", async () => {
    const url = await sell(echo);
    const payment = await shop.payFor(`${url}/cheap?id=1`);
    const before = await shop.balances();
    for (const [path, method] of [
      ["/dear?id=1", "GET"],
      ["/cheap?id=2", "GET"],
      ["/cheap?id=1", "POST"],
    ] as const)
      expect(await (await askPaid(url + path, payment, { method })).json()).toMatchObject({
        code: "nonce_mismatch",
      });
    expect(await shop.balances()).toEqual(before);
    expect((await askPaid(`${url}/cheap?id=1`, payment)).status).toBe(200);
  });

  test("accepts a payment for HEAD's offer, but only with GET", async () => {
    const url = await sell(echo);
    const { accepts } = decodeHeader<PaymentRequired>(await fetch(url, { method: "HEAD" }), "x-payment");
    const payment = await signPayment({ ...shop.purse(), requirements: accepts[0] as PaymentRequirements });
    expect((await fetch(url, { method: "HEAD", headers: { "x-payment": payment } })).status).toBe(402);
    expect((await askPaid(url, payment)).status).toBe(200);
  });

  test("accepts a client's nonce where binding is preferred, and refuses it where it is required", async () => {
    const [prefers, requires] = [await sell(echo), await sell(echo, { binding: "require" })];
    const signOwn = async (url: string) => {
      const { extra: _offered, ...own } = await offerOf(await fetch(url));
      return signPayment({ ...shop.purse(), requirements: own });
    };
    expect((await askPaid(prefers, await signOwn(prefers))).status).toBe(200);
    expect(await (await askPaid(requires, await signOwn(requires))).json()).toMatchObject({
      code: "nonce_mismatch",
    });
    expect((await askPaid(requires, await shop.payFor(requires))).status).toBe(200);
  });
});
