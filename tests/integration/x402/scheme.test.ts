import { x402Client } from "@x402/core/client";
import { x402Facilitator } from "@x402/core/facilitator";
import { HTTPFacilitatorClient, x402HTTPResourceServer } from "@x402/core/http";
import { x402ResourceServer } from "@x402/core/server";
import type { Network } from "@x402/core/types";
import { wrapFetchWithPayment } from "@x402/fetch";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createFacilitatorHandlers } from "../../../lib/x402/facilitator/index.ts";
import { createMemoryStore } from "../../../lib/x402/memory-store.ts";
import { withPaywall } from "../../../lib/x402/next.ts";
import {
  createClientScheme,
  createFacilitatorScheme,
  createServerScheme,
} from "../../../lib/x402/scheme/index.ts";
import { decodeHeader, receiptOf } from "../../harness/ask-paid.ts";
import { makeOffer, serveOffers } from "../../harness/serve-offers.ts";
import { serveWeb, type WebServer } from "../../harness/serve-web.ts";
import { type Shop, startShop } from "../../harness/start-shop.ts";

const NETWORK: Network = "chain:sandbox";
const requirements = {
  scheme: "exact",
  network: NETWORK,
  asset: "HBD",
  amount: "50",
  payTo: "shop",
  maxTimeoutSeconds: 300,
  extra: {},
};
let shop: Shop;
const open: Array<Pick<WebServer, "close">> = [];
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function serve(answer: (request: Request) => Response | Promise<Response>) {
  const server = await serveWeb(answer);
  open.push(server);
  return server.url;
}

const officialClient = () => new x402Client().register(NETWORK, createClientScheme(shop.purse()));

describe("the official client", () => {
  test("pays our paywall in version 2, within its spend limits, and finds its receipt", async () => {
    const GET = withPaywall(shop.price, (_request, { payer }) => Response.json({ payer }));
    const url = await serve((request) => GET(request));
    const before = await shop.balances();
    const response = await wrapFetchWithPayment(fetch, officialClient())(url);
    expect([response.status, await response.json()]).toEqual([200, { payer: "alice" }]);
    expect(decodeHeader(response, "payment-response")).toMatchObject({
      success: true,
      transaction: receiptOf(response).txId,
      network: NETWORK,
    });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("signs for a paywall that takes sent transfers too, and signs nothing if told to choose one of those", async () => {
    const price = { ...shop.price, transfers: true, secret: "s".repeat(32), store: createMemoryStore() };
    const GET = withPaywall(price, (_request, { payer }) => Response.json({ payer }));
    const url = await serve((request) => GET(request));
    const before = await shop.balances();
    expect((await wrapFetchWithPayment(fetch, officialClient())(url)).status).toBe(200);
    const chosen: unknown[] = [];
    const choosing = new x402Client((_version, accepts) => {
      const sent = accepts.find(({ extra }) => extra?.assetTransferMethod === "memo");
      if (!sent) throw new Error("no transfer is offered");
      chosen.push(sent.extra.assetTransferMethod);
      return sent;
    }).register(NETWORK, createClientScheme(shop.purse()));
    await expect(wrapFetchWithPayment(fetch, choosing)(url)).rejects.toThrow(/unknown_scheme|scheme/);
    expect(chosen).toEqual(["memo"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("sends the secret of its payment's holder, in both versions", async () => {
    const scheme = createClientScheme(shop.purse());
    for (const version of [1, 2]) {
      const { payload } = await scheme.createPaymentPayload(version, requirements);
      expect(payload.holder).toMatch(/^[A-Za-z0-9_-]{43}$/);
    }
  });

  test("respects its default limit of a dollar, and a configured limit", async () => {
    const sell = (amount: string) => {
      const GET = withPaywall({ ...shop.price, amount }, () => new Response("x"));
      return serve((request) => GET(request));
    };
    const pay = wrapFetchWithPayment(fetch, officialClient());
    await expect(pay(await sell("1.001 HBD"))).rejects.toThrow(/spendControls/);
    const limited = officialClient().setSpendControls({ maxAmountPerPayment: "$0.04" });
    await expect(wrapFetchWithPayment(fetch, limited)(await sell("0.041 HBD"))).rejects.toThrow(
      /spendControls/,
    );
    expect((await wrapFetchWithPayment(fetch, limited)(await sell("0.040 HBD"))).status).toBe(200);
  });

  test("pays a version 1 server by the offer in its body", async () => {
    const server = await serveOffers([makeOffer()], { as: "body" });
    open.push(server);
    const client = new x402Client()
      .registerV1(NETWORK, createClientScheme(shop.purse()))
      .setSpendControls(false);
    expect((await wrapFetchWithPayment(fetch, client)(server.url)).status).toBe(200);
    expect(server.payments()).toMatchObject([{ x402Version: 1, scheme: "exact", network: NETWORK }]);
    expect(server.transfers()).toMatchObject([{ to: "shop", amount: "0.050 HBD" }]);
  });

  test("refuses other assets and networks, amounts over its limit, and malformed amounts", async () => {
    const scheme = createClientScheme(shop.purse());
    expect(scheme.findDefaultAsset?.("HBD", NETWORK)).toEqual({ asset: "HBD", decimals: 3, symbol: "HBD" });
    expect(scheme.findDefaultAsset?.("HIVE", NETWORK)).toBeUndefined();
    expect(scheme.findDefaultAsset?.("HBD", "eip155:8453")).toBeUndefined();
    await expect(scheme.createPaymentPayload(2, { ...requirements, asset: "HIVE" })).rejects.toMatchObject({
      code: "not_hbd",
    });
    await expect(
      scheme.createPaymentPayload(2, requirements, { maxAmountPerPayment: "49" }),
    ).rejects.toMatchObject({ code: "over_limit" });
    for (const amount of ["0", "-50", "5e1", "0.05"])
      await expect(scheme.createPaymentPayload(2, { ...requirements, amount })).rejects.toThrow();
  });
});

describe("the official server", () => {
  test("settles before the handler runs if the route's payment flow is upfront", async () => {
    const handlers = createFacilitatorHandlers(shop.facilitator, () => {});
    const facilitatorUrl = await serve((request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/supported") return handlers.supported(request);
      return pathname === "/verify" ? handlers.verify(request) : handlers.settle(request);
    });
    const core = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl })).register(
      NETWORK,
      createServerScheme(),
    );
    const server = new x402HTTPResourceServer(core, {
      "GET /paid": {
        accepts: {
          ...{ scheme: "exact", network: NETWORK, payTo: "shop", price: "$0.05" },
          extra: { paymentFlow: "upfront" },
        },
        description: "paid",
      },
    });
    await server.initialize();
    const url = await serve(async (request) => {
      const { pathname } = new URL(request.url);
      const adapter = {
        getHeader: (name: string) => request.headers.get(name) ?? undefined,
        getMethod: () => request.method,
        getPath: () => pathname,
        getUrl: () => request.url,
        getAcceptHeader: () => request.headers.get("accept") ?? "",
        getUserAgent: () => "test",
      };
      const result = await server.processHTTPRequest({ adapter, path: pathname, method: request.method });
      if (result.type === "payment-error")
        return new Response(JSON.stringify(result.response.body ?? {}), {
          status: result.response.status,
          headers: result.response.headers,
        });
      return new Response(JSON.stringify({ type: result.type }));
    });
    const before = await shop.balances();
    const response = await wrapFetchWithPayment(fetch, officialClient())(`${url}/paid`);
    expect([response.status, await response.json()]).toEqual([200, { type: "payment-verified" }]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("reads prices in the official spellings, and refuses prices that HBD can't express", async () => {
    const { parsePrice } = createServerScheme();
    for (const price of ["$0.05", "0.05", "0.050 HBD", "0.05 HBD", 0.05, { asset: "HBD", amount: "50" }])
      expect(await parsePrice(price, NETWORK)).toMatchObject({ asset: "HBD", amount: "50" });
    for (const price of [
      "$0",
      "$0.0001",
      "0.05 USDC",
      "-1",
      "1e-3",
      0.0004,
      -1,
      { asset: "USDC", amount: "50" },
      { asset: "HBD", amount: "0.05" },
    ])
      await expect(parsePrice(price, NETWORK), String(price)).rejects.toThrow();
  });
});

describe("the official facilitator", () => {
  test("verifies and settles through our scheme", async () => {
    const facilitator = new x402Facilitator().register([NETWORK], createFacilitatorScheme(shop.facilitator));
    expect(facilitator.getSupported().kinds).toMatchObject([{ scheme: "exact", network: NETWORK }]);
    const { payload } = await createClientScheme(shop.purse()).createPaymentPayload(2, requirements);
    const payment = {
      x402Version: 2,
      accepted: requirements,
      payload,
      resource: { url: "http://shop.example/a" },
    };
    expect(await facilitator.verify(payment, requirements)).toMatchObject({ isValid: true, payer: "alice" });
    expect(await facilitator.settle(payment, requirements)).toMatchObject({
      success: true,
      payer: "alice",
      network: NETWORK,
      transaction: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });
});
