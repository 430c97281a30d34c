import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withPaywall } from "#lib/x402/next.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid, receiptOf } from "../../../harness/ask-paid.ts";
import { echo, openShop } from "../../../harness/open-shop.ts";

const { shop, serve, sell } = await openShop();

describe("a handler", () => {
  test.each([
    ["throws", () => Promise.reject(new Error("secret detail"))],
    ["answers 500", () => new Response("secret detail".slice(0, 0), { status: 500 })],
    ["answers 503", () => new Response(null, { status: 503 })],
  ])(
    "that %s leaves the receipt on the answer, and the same payment buys the content later, charged once",
    async (_name, fail) => {
      let isBroken = true;
      const url = await sell((request, context) => (isBroken ? fail() : echo(request, context)));
      const payment = await shop.payFor(url);
      const headers = { "x-payment": payment };
      const first = await fetch(url, { headers });
      expect(first.status).toBeGreaterThanOrEqual(500);
      expect(receiptOf(first)).toMatchObject({ success: true, payer: "alice" });
      expect(await first.text()).not.toContain("secret detail");
      const before = await shop.balances();
      expect((await fetch(url, { headers })).status).toBeGreaterThanOrEqual(500);
      isBroken = false;
      const settles = shop.door.paths().filter((path) => path === "/settle").length;
      const delivered = await fetch(url, { headers });
      expect([delivered.status, receiptOf(delivered).txId]).toEqual([200, receiptOf(first).txId]);
      expect(shop.door.paths().filter((path) => path === "/settle").length).toBe(settles);
      expect(await shop.balances()).toEqual(before);
      expect(await (await fetch(url, { headers })).json()).toMatchObject({ code: "payment_replayed" });
    },
  );

  test.each([
    ["no answer", () => undefined as unknown as Response],
    ["an unsendable value", () => Response.error()],
    ["an answer whose body was already read", (used: Response) => used],
  ])(
    "that returns %s causes a 500 with the receipt, and the same payment buys the content later",
    async (_name, give) => {
      const used = new Response("content");
      await used.text();
      let isBroken = true;
      const url = await sell((request, context) => (isBroken ? give(used) : echo(request, context)));
      const payment = await shop.payFor(url);
      const first = await askPaid(url, payment);
      expect([first.status, receiptOf(first).success]).toEqual([500, true]);
      isBroken = false;
      expect((await askPaid(url, payment)).status).toBe(200);
    },
  );

  test("whose client disconnected has delivered nothing, and the same payment buys the content later", async () => {
    const leaving = new AbortController();
    const GET = withPaywall(shop.price, () => {
      leaving.abort();
      return new Response("content");
    });
    const url = await serve((request) => GET(request));
    const headers = { "x-payment": await shop.payFor(url) };
    await GET(new Request(url, { headers, signal: leaving.signal }));
    expect(await (await fetch(url, { headers })).text()).toBe("content");
    expect(await (await fetch(url, { headers })).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("that returns 404 counts as having answered, and its payment is used up", async () => {
    const url = await sell(() => new Response("none", { status: 404 }));
    const payment = await shop.payFor(url);
    const first = await askPaid(url, payment);
    expect([first.status, receiptOf(first).success]).toEqual([404, true]);
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("that throws one of Next's own errors has it rethrown", async () => {
    const digest = "NEXT_HTTP_ERROR_FALLBACK;404";
    const signal = Object.assign(new Error(digest), { digest });
    let thrown: unknown;
    const GET = withPaywall(shop.price, () => Promise.reject(signal));
    const url = await serve((request) =>
      GET(request).catch((error: unknown) => {
        thrown = error;
        return new Response(null, { status: 404 });
      }),
    );
    const payment = await shop.payFor(url);
    await fetch(url, { headers: { "x-payment": payment } });
    expect(thrown).toBe(signal);
  });

  test.each([
    ["redirects", "NEXT_REDIRECT;replace;/there;307;"],
    ["finds nothing", "NEXT_HTTP_ERROR_FALLBACK;404"],
  ])("that %s through Next after its client left uses no payment up", async (_what, digest) => {
    const leaving = new AbortController();
    let isLeft = false;
    const GET = withPaywall(shop.price, () => {
      if (isLeft) return new Response("content");
      isLeft = true;
      leaving.abort();
      throw Object.assign(new Error(digest), { digest });
    });
    const url = await serve((request) => GET(request));
    const headers = { "x-payment": await shop.payFor(url) };
    const request = new Request(url, { headers, signal: leaving.signal });
    await GET(request).catch((error: unknown) => expect(error).toMatchObject({ digest }));
    expect(await (await fetch(url, { headers })).text()).toBe("content");
  });

  test.each([
    ["answer", () => new Response("content", { headers: { etag: "x" } })],
    [
      "redirect through Next",
      () =>
        Promise.reject(
          Object.assign(new Error("NEXT_REDIRECT"), { digest: "NEXT_REDIRECT;replace;/there;307;" }),
        ),
    ],
  ])("whose %s can't be recorded as delivered sends no content", async (_name, handler) => {
    const store = createMemoryClaimStore();
    let isDown = false;
    const replace: typeof store.replace = (...given) =>
      isDown ? Promise.reject(new Error("down")) : store.replace(...given);
    const url = await sell(
      () => {
        isDown = true;
        return handler();
      },
      { store: { ...store, replace } },
    );
    const payment = await shop.payFor(url);
    const response = await fetch(url, { headers: { "x-payment": payment } });
    expect([response.status, response.headers.get("retry-after"), receiptOf(response).success]).toEqual([
      503,
      "2",
      true,
    ]);
    expect(await response.json()).toMatchObject({ code: "settlement_pending" });
  });

  test("that failed still delivers the paid content after a price change", async () => {
    let price = "0.050 HBD";
    let isBroken = true;
    const url = await sell(() => new Response(null, { status: isBroken ? 500 : 200 }), {
      amount: () => price,
    });
    const payment = await shop.payFor(url);
    await askPaid(url, payment);
    price = "0.060 HBD";
    isBroken = false;
    expect((await askPaid(url, payment)).status).toBe(200);
    expect(await (await askPaid(url, await shop.payFor(url))).status).toBe(200);
  });
});

describe("with the global Response replaced by Hono's server", () => {
  const { Request, Response } = globalThis;
  beforeAll(() => void getRequestListener(() => new Response(null)));
  afterAll(() => {
    for (const [name, value] of Object.entries({ Request, Response }))
      Object.defineProperty(globalThis, name, { value });
  });

  test("an answer whose body was already read has failed, and the same payment buys the content later", async () => {
    const used = new globalThis.Response("content");
    expect((await fetch("data:,")).constructor).not.toBe(globalThis.Response);
    await used.text();
    const answers = [used, new globalThis.Response("content")];
    const url = await sell(() => answers.shift() ?? used);
    const payment = await shop.payFor(url);
    const first = await askPaid(url, payment);
    expect([first.status, receiptOf(first).success]).toEqual([500, true]);
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });
});
