import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PayingFetchOptions } from "#lib/x402/client/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { makeOfferV2, serveVersion2 } from "../../../harness/serve-version2.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

const terms = { amount: "0.050 HBD", payTo: "shop", network: "chain:sandbox" };

describe("a quote", () => {
  test("returns the price without paying, signing or asking for approval", async () => {
    const GET = withPaywall({ ...shop.price, description: "a report" }, () => new Response("content"));
    const { url } = await sellers.serveWeb((request) => GET(request));
    const before = await shop.balances();
    const approve = () => {
      throw new Error("asked");
    };
    const payingFetch = shop.payer({ approve });
    expect(await payingFetch.quote(`${url}/a`)).toEqual({
      status: 402,
      offers: [{ ...terms, url: `${url}/a`, description: "a report", version: 1, flow: null }],
      refusal: null,
    });
    expect(await payingFetch.spent()).toEqual({ lastDay: "0.000 HBD", byHost: {} });
    expect(await shop.balances()).toEqual(before);
  });

  test("sends no payment of the caller, whose answer it would discard", async () => {
    let asked = 0;
    const GET = withPaywall(shop.price, () => new Response("content"));
    const { url } = await sellers.serveWeb((request) => {
      asked++;
      return GET(request);
    });
    const headers = { "x-payment": await shop.payFor(`${url}/a`) };
    expect(await shop.payer().quote(`${url}/a`, { headers })).toMatchObject({ status: 402, offers: [terms] });
    expect(await (await fetch(`${url}/a`, { headers })).text()).toBe("content");
    expect(asked).toBe(3);
  });

  test("lists the offers in the order in which they would be paid", async () => {
    const server = await sellers.closing(
      serveVersion2([makeOfferV2({ extra: { paymentFlow: "upfront" } }), makeOfferV2({ amount: "60" })], {
        also: { body: { x402Version: 1, accepts: [makeOffer({ maxAmountRequired: "0.070 HBD" })] } },
      }),
    );
    const { offers } = await shop.payer({ allowUpfront: true }).quote(server.url);
    expect(offers).toMatchObject([
      { amount: "0.070 HBD", version: 1, flow: null },
      { amount: "0.060 HBD", version: 2, flow: "authorization" },
      { amount: "0.050 HBD", version: 2, flow: "upfront" },
    ]);
    expect((await shop.payer().quote(server.url)).offers).toHaveLength(2);
  });

  test("sends the request unchanged", async () => {
    const server = await sellers.serveOffers([makeOffer()]);
    await shop.payer().quote(server.url, { method: "POST", body: "a question" });
    expect(server.sent).toMatchObject([{ method: "POST", body: "a question", payment: null }]);
  });

  test("has neither offers nor a refusal for a free page", async () => {
    const { url } = await sellers.serveWeb(() => new Response("free", { status: 203 }));
    expect(await shop.payer().quote(url)).toEqual({ status: 203, offers: [], refusal: null });
  });

  test.each<[string, Record<string, unknown>, Partial<PayingFetchOptions>, Record<string, unknown>]>([
    ["a limit", { maxAmountRequired: "1.500 HBD" }, {}, { code: "over_limit", limit: "1.000 HBD" }],
    [
      "the budget",
      {},
      { budget: { perDay: "0.040 HBD" } },
      { code: "over_budget", offer: terms, limit: "0.040 HBD", left: "0.040 HBD" },
    ],
    ["the payee", {}, { allowedPayees: ["bob"] }, { code: "payee_not_allowed", offer: terms }],
    ["the host", {}, { allowedHosts: ["a.example"] }, { code: "host_not_allowed", offer: terms }],
    ["the chain", { network: "base" }, {}, { code: "unknown_network" }],
  ])("reports what forbids the payment: %s", async (_name, changes, options, refusal) => {
    const server = await sellers.serveOffers([makeOffer(changes)]);
    const quote = await shop.payer(options).quote(server.url);
    expect(quote).toMatchObject({ status: 402, offers: [], refusal });
    expect(quote.refusal?.name).toBe("PaymentError");
  });

  test("has a refusal when a redirect leads to a site that asks for payment", async () => {
    const server = await sellers.serveOffers([makeOffer()]);
    const door = await sellers.serveWeb(() => Response.redirect(`${server.url}/a`, 307));
    expect(await shop.payer().quote(door.url)).toMatchObject({ refusal: { code: "redirected" } });
  });

  test("rejects like fetch when no server answers", async () => {
    await expect(shop.payer().quote("http://127.0.0.1:9/")).rejects.toThrow(TypeError);
  });
});

test("the error for a refused offer contains the rest of the budget", async () => {
  const budget = { perDay: "2.000 HBD", perHost: "0.900 HBD" };
  for (const [changes, options, code] of [
    [{ maxAmountRequired: "1.500 HBD" }, {}, "over_limit"],
    [{}, { allowedPayees: ["bob"] }, "payee_not_allowed"],
    [{}, { allowedHosts: ["a.example"] }, "host_not_allowed"],
    [{}, { approve: () => false }, "not_approved"],
  ] as const) {
    const server = await sellers.serveOffers([makeOffer(changes)]);
    const pay = shop.payer({ budget, ...(options as Partial<PayingFetchOptions>) });
    await expect(pay(server.url)).rejects.toMatchObject({
      code,
      offer: { payTo: "shop" },
      left: "0.900 HBD",
    });
  }
});
