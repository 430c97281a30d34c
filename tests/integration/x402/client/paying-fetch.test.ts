import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type PayingFetchOptions, PaymentError } from "#lib/x402/client/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());
afterEach(() => shop.chain.clearFaults());

type Offer = Record<string, unknown>;

const { serveOffers } = sellers;

const pay = (options: Partial<PayingFetchOptions> = {}) => shop.payer(options);

describe("a paying fetch", () => {
  test("pays the price and returns the answer", async () => {
    const GET = withPaywall(shop.price, (_request, { payer }) => Response.json({ payer }));
    const server = await sellers.serveWeb((request) => GET(request));
    const before = await shop.balances();
    const response = await pay()(`${server.url}/article`);
    expect([response.status, await response.json()]).toEqual([200, { payer: "alice" }]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("returns an answer other than a 402 unchanged", async () => {
    const server = await sellers.serveWeb(() => new Response("free", { status: 203 }));
    const response = await pay()(server.url);
    expect([response.status, await response.text()]).toEqual([203, "free"]);
  });

  test("pays nothing for HEAD, which returns no content", async () => {
    const server = await serveOffers([makeOffer()]);
    expect((await pay()(server.url, { method: "HEAD" })).status).toBe(402);
    expect(server.payments()).toEqual([]);
  });

  test("skips a chain node whose answer never ends", async () => {
    const server = await serveOffers([makeOffer()]);
    const chunk = new TextEncoder().encode(" ".repeat(16_384));
    let sentBytes = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      sentBytes += chunk.length;
      controller.enqueue(chunk);
    };
    const endless = await sellers.serveWeb(() => new Response(new ReadableStream({ pull })));
    const nodes = [endless.url, ...shop.purse().nodes];
    expect((await pay({ nodes })(server.url)).status).toBe(200);
    expect(sentBytes).toBeLessThan(8 * 1024 * 1024);
  });

  test.each(["body", "header", "both"] as const)(
    "finds offers in the body, the header or both: %s",
    async (as) => {
      const server = await serveOffers([makeOffer()], { as });
      expect((await pay()(server.url)).status).toBe(200);
      expect(server.transfers()).toEqual([
        {
          from: "alice",
          to: "shop",
          amount: "0.050 HBD",
          memo: expect.stringMatching(/^x402:[0-9a-f]{32}$/),
        },
      ]);
    },
  );

  test("uses the nonce that the server offers", async () => {
    const nonce = "N".repeat(48);
    const server = await serveOffers([makeOffer({ extra: { nonce } })]);
    await pay()(server.url);
    expect(server.payments()[0]?.payload.nonce).toBe(nonce);
    expect(server.transfers()[0]?.memo).toBe(`x402:${nonce}`);
  });

  test("returns the answer without paying if the request already carries a payment", async () => {
    const server = await serveOffers([makeOffer()], { paid: () => new Response(null, { status: 402 }) });
    const response = await pay()(server.url, { headers: { "x-payment": "own" } }).catch((error) => error);
    expect(response).toMatchObject({ status: 402 });
    expect(server.sent).toHaveLength(1);
  });

  test("returns a 402 to the paid request without signing again", async () => {
    const server = await serveOffers([makeOffer()], {
      paid: () => Response.json({ code: "x" }, { status: 402 }),
    });
    expect((await pay()(server.url)).status).toBe(402);
    expect(server.payments()).toHaveLength(1);
  });
});

describe("a paying fetch that chooses what to pay", () => {
  const refuses = async (accepts: Offer[], code: string, options: Partial<PayingFetchOptions> = {}) => {
    const server = await serveOffers(accepts);
    const error = await pay(options)(server.url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PaymentError);
    expect(error).toMatchObject({ code });
    expect(server.payments()).toEqual([]);
  };

  test.each<[string, Offer, string]>([
    ["HIVE instead of HBD", { maxAmountRequired: "0.050 HIVE" }, "not_hbd"],
    ["another asset by name", { asset: "USDC" }, "not_hbd"],
    ["another scheme", { scheme: "upto" }, "unknown_scheme"],
    ["another network", { network: "base-sepolia" }, "unknown_network"],
    ["the main chain, from a sandbox key", { network: "chain:mainnet" }, "unknown_network"],
    ["another version", { x402Version: 3 }, "unknown_version"],
    ["more than the limit of 1.000 HBD", { maxAmountRequired: "1.001 HBD" }, "over_limit"],
    ["an expired offer", { validBefore: new Date(Date.now() - 1000).toISOString() }, "offer_expired"],
    ["an offer about to expire", { validBefore: new Date(Date.now() + 3000).toISOString() }, "offer_expired"],
    ["an offer without an expiry", { validBefore: undefined }, "malformed_offer"],
    ["an offer with a nonsensical expiry", { validBefore: "tomorrow" }, "malformed_offer"],
    ["a negative amount", { maxAmountRequired: "-1.000 HBD" }, "malformed_offer"],
    ["an amount with two decimals", { maxAmountRequired: "0.05 HBD" }, "malformed_offer"],
    ["an amount with an exponent", { maxAmountRequired: "1e-3 HBD" }, "malformed_offer"],
    ["an amount of zero", { maxAmountRequired: "0.000 HBD" }, "malformed_offer"],
    ["an amount that is a number", { maxAmountRequired: 50 }, "malformed_offer"],
    ["a payee that is no account", { payTo: "Shop!" }, "malformed_offer"],
    ["its own account as the payee", { payTo: "alice" }, "malformed_offer"],
    ["a nonce that fits no memo", { extra: { nonce: "short" } }, "malformed_offer"],
  ])("refuses %s", async (_name, changes, code) => {
    await refuses([makeOffer(changes)], code);
  });

  test("refuses an empty list of offers, and offers that are not objects", async () => {
    await refuses([], "no_offer");
    await refuses([null as unknown as Offer], "malformed_offer");
  });

  test("refuses a 402 whose body is not an offer", async () => {
    const server = await sellers.serveWeb(() => new Response("x".repeat(100_000), { status: 402 }));
    await expect(pay()(server.url)).rejects.toMatchObject({ code: "no_offer" });
  });

  test("refuses a payee or a host outside the allowlist", async () => {
    await refuses([makeOffer()], "payee_not_allowed", { allowedPayees: ["bob"] });
    await refuses([makeOffer()], "host_not_allowed", { allowedHosts: ["shop.example"] });
  });

  test.each([
    "http://bank.example/transfer",
    "https://bank.example/",
    "//bank.example/a",
    "http://127.0.0.1:1/a",
    "urn:isbn:1",
    "data:text/plain,x",
    "http://",
    5,
  ])("refuses an offer for a resource of another site: %s", async (resource) => {
    await refuses([makeOffer({ resource })], "resource_mismatch");
  });

  test("pays for another site's resource if that host is allowed", async () => {
    const resource = "http://inner.example:8080/a";
    const server = await serveOffers([makeOffer({ resource })]);
    for (const host of ["inner.example", "inner.example:8080"])
      expect((await pay({ allowedResourceHosts: [host] })(server.url)).status).toBe(200);
    await refuses([makeOffer({ resource })], "resource_mismatch", {
      allowedResourceHosts: ["inner.example:80"],
    });
  });

  test("pays an offer that names its own site, only a path or no resource", async () => {
    for (const resource of ["/other", "a?b", undefined]) {
      const server = await serveOffers([makeOffer({ resource })]);
      expect((await pay()(server.url)).status).toBe(200);
    }
    const server = await sellers.serveWeb((request) =>
      request.headers.has("x-payment")
        ? new Response("content")
        : Response.json(
            { accepts: [makeOffer({ resource: `https://${new URL(request.url).host}/behind/tls` })] },
            { status: 402 },
          ),
    );
    expect((await pay()(server.url)).status).toBe(200);
  });

  test("pays allowed payees at allowed hosts, named with or without a port", async () => {
    const server = await serveOffers([makeOffer()]);
    for (const allowedHosts of [[server.host], ["127.0.0.1"]])
      expect((await pay({ allowedHosts, allowedPayees: ["shop"] })(server.url)).status).toBe(200);
  });

  test("pays the first acceptable offer, even if others come before it", async () => {
    const accepts = [
      makeOffer({ maxAmountRequired: "5.000 HBD" }),
      makeOffer({ scheme: "upto" }),
      makeOffer({ maxAmountRequired: "0.030 HBD", validBefore: new Date(Date.now() - 1000).toISOString() }),
      makeOffer({ maxAmountRequired: "0.020 HBD" }),
      makeOffer({ maxAmountRequired: "0.010 HBD" }),
    ];
    const server = await serveOffers(accepts);
    await pay()(server.url);
    expect(server.transfers()).toMatchObject([{ amount: "0.020 HBD" }]);
  });

  test("pays an amount that equals a configured limit, and refuses more", async () => {
    await refuses([makeOffer({ maxAmountRequired: "0.051 HBD" })], "over_limit", { maxPayment: "0.050 HBD" });
    const server = await serveOffers([makeOffer()]);
    expect((await pay({ maxPayment: "0.050 HBD" })(server.url)).status).toBe(200);
  });

  test("refuses to pay for a POST that a redirect has changed", async () => {
    const server = await sellers.serveWeb(({ url, method }) =>
      method === "POST"
        ? Response.redirect(new URL("/there", url), 303)
        : Response.json({ accepts: [makeOffer()] }, { status: 402 }),
    );
    await expect(pay()(server.url, { method: "POST" })).rejects.toMatchObject({ code: "redirected" });
  });

  test("pays nothing while no chain node answers", async () => {
    await refuses([makeOffer()], "chain_unavailable", { nodes: ["http://127.0.0.1:9"] });
  });
});
