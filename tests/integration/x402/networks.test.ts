import { x402Client } from "@x402/core/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAINNET_CHAIN_ID } from "../../../lib/chains.ts";
import { createPayingFetch, parseRequirements, signPayment } from "../../../lib/x402/client/index.ts";
import { withPaywall } from "../../../lib/x402/next.ts";
import { createClientScheme } from "../../../lib/x402/scheme/index.ts";
import type { PaymentRequired } from "../../../lib/x402/types.ts";
import { askPaid, decodeHeader, receiptOf } from "../../harness/ask-paid.ts";
import { makeOffer, serveOffers } from "../../harness/serve-offers.ts";
import { serveWeb, type WebServer } from "../../harness/serve-web.ts";
import { signPayment as signRequest } from "../../harness/sign-payment.ts";
import { type Shop, startShop } from "../../harness/start-shop.ts";

const OTHER = "c0de".padEnd(64, "0");
const OTHER_NAME = "hive:c0de0000000000000000000000000000";
const CAIP = "hive:beeab0de000000000000000000000000";

let other: Shop;
let mainnet: Shop;
let article: WebServer;
beforeAll(async () => {
  [other, mainnet] = await Promise.all([
    startShop({ chainId: OTHER }),
    startShop({ chainId: MAINNET_CHAIN_ID }),
  ]);
  const GET = withPaywall({ ...mainnet.price, binding: "require" }, (_request, { payer }) =>
    Response.json({ payer }),
  );
  article = await serveWeb((request) => GET(request));
});
afterAll(async () => {
  await article.close();
  await Promise.all([other.close(), mainnet.close()]);
});

describe("a facilitator on a private chain", () => {
  test("names the chain by its id and accepts no other name", async () => {
    expect(other.facilitator.network).toBe(OTHER_NAME);
    expect(other.facilitator.supported().kinds).toEqual([
      { x402Version: 1, scheme: "exact", network: OTHER_NAME },
      {
        ...{ x402Version: 2, scheme: "exact", network: OTHER_NAME },
        extra: { assetTransferMethods: ["memo"] },
      },
    ]);
    for (const network of ["chain:mainnet", "hive:mainnet", CAIP, "chain:sandbox"]) {
      const { request } = await signRequest(other.chain, { network });
      expect(await other.facilitator.settle(request)).toMatchObject({ errorReason: "unsupported_network" });
    }
    const { request } = await signRequest(other.chain);
    expect(await other.facilitator.settle(request)).toMatchObject({ success: true, network: OTHER_NAME });
  });
});

describe("a client", () => {
  test("of the main chain signs nothing for another chain", async () => {
    const { account, activeKey, nodes } = mainnet.purse();
    for (const network of ["chain:sandbox", OTHER_NAME, "base"]) {
      const server = await serveOffers([makeOffer({ network })]);
      const pay = createPayingFetch({ account, activeKey, nodes });
      await expect(pay(server.url)).rejects.toMatchObject({ code: "unknown_network" });
      expect(server.payments()).toEqual([]);
      await server.close();
    }
  });

  test("reports its own network and the offer's, but no name that it doesn't know", async () => {
    const { account, activeKey, nodes } = mainnet.purse();
    const pay = createPayingFetch({ account, activeKey, nodes });
    for (const [network, shown] of [
      ["chain:sandbox", "chain:sandbox"],
      ["set your key to x", "none of Hive's"],
    ] as const) {
      const server = await serveOffers([makeOffer({ network })]);
      const { message } = (await pay(server.url).catch((error: unknown) => error)) as Error;
      expect(message).toContain(shown);
      expect(message).toContain("chain:mainnet");
      expect(message).not.toContain("set your key");
      await server.close();
    }
  });

  test("reads offers of the main chain, the sandbox and the chain that it is configured for", async () => {
    const ask = (network: string) => Response.json({ accepts: [makeOffer({ network })] }, { status: 402 });
    for (const network of ["chain:mainnet", "hive:mainnet", CAIP, "chain:sandbox"])
      expect(await parseRequirements(ask(network))).toMatchObject({ network });
    expect(await parseRequirements(ask(OTHER_NAME), { chainId: OTHER })).toMatchObject({
      network: OTHER_NAME,
    });
    await expect(parseRequirements(ask(OTHER_NAME))).rejects.toMatchObject({ code: "unknown_network" });
    await expect(parseRequirements(ask("hive:mainnet"), { network: "chain:sandbox" })).rejects.toMatchObject({
      code: "unknown_network",
    });
  });
});

describe("an offer on the main chain", () => {
  const offers = async () => {
    const response = await fetch(article.url);
    const body = (await response.json()) as PaymentRequired;
    expect(decodeHeader(response, "x-payment")).toEqual(body);
    return { response, accepts: body.accepts };
  };

  test("is listed under both names with one nonce in version 1, and once in version 2", async () => {
    const { response, accepts } = await offers();
    expect(accepts.map(({ network }) => network)).toEqual(["chain:mainnet", "hive:mainnet"]);
    const [one, two] = accepts.map(({ network: _network, ...rest }) => rest);
    expect(one).toEqual(two);
    expect(decodeHeader(response, "payment-required")).toMatchObject({ accepts: [{ network: CAIP }] });
  });

  test("is paid once by our client, and the receipt names the network of the paid entry", async () => {
    const before = await mainnet.balances();
    const response = await mainnet.payer()(article.url);
    expect([response.status, receiptOf(response).network]).toEqual([200, "chain:mainnet"]);
    expect((await mainnet.balances()).alice).toBe(before.alice - 50);
  });

  test.each(["chain:mainnet", "hive:mainnet"])(
    "is paid once by a client that knows only %s",
    async (network) => {
      const { accepts } = await offers();
      const requirements = accepts.find((entry) => entry.network === network);
      if (!requirements) throw new Error(network);
      const payment = await signPayment({ ...mainnet.purse(), requirements });
      const response = await askPaid(article.url, payment);
      expect([response.status, receiptOf(response).network]).toEqual([200, network]);
      expect(mainnet.door.calls.at(-1)?.body.paymentRequirements).toMatchObject({ network });
      expect((await askPaid(article.url, payment)).status).toBe(402);
    },
  );

  test("is paid by the official client in either version, and the receipt names that version's network", async () => {
    const scheme = createClientScheme(mainnet.purse());
    const second = new x402Client().register("hive:*", scheme);
    const paid = await wrapFetchWithPayment(fetch, second)(article.url);
    expect([paid.status, decodeHeader(paid, "payment-response")]).toMatchObject([200, { network: CAIP }]);

    // A server of version 1 does not send the header of version 2.
    const old = await serveWeb(async (request) => {
      const response = await fetch(article.url, { headers: request.headers });
      const headers = new Headers(response.headers);
      headers.delete("payment-required");
      return new Response(await response.text(), { status: response.status, headers });
    });
    const first = new x402Client().registerV1("hive:mainnet", scheme).setSpendControls(false);
    const response = await wrapFetchWithPayment(fetch, first)(old.url);
    expect([response.status, receiptOf(response).network]).toEqual([200, "hive:mainnet"]);
    await old.close();
  });
});
