import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { MAINNET_CHAIN_ID } from "#lib/chains.ts";
import { createPayingFetch, type PayingFetchOptions } from "#lib/x402/client/index.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { type Shop, startShop, wifOf } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());
afterEach(() => shop.chain.clearFaults());

const { serveOffers } = sellers;

const pay = (options: Partial<PayingFetchOptions> = {}) => shop.payer(options);

describe("the options of a paying fetch", () => {
  test("hide the key from inspect, JSON, properties and errors", async () => {
    const key = wifOf("alice");
    const payingFetch = pay();
    const broken = await pay({ nodes: ["http://127.0.0.1:9"] })((await serveOffers([makeOffer()])).url).catch(
      (error) => error,
    );
    const seen = [
      inspect(payingFetch, { depth: 9, showHidden: true }),
      JSON.stringify({ payingFetch }),
      String(payingFetch),
      inspect(broken, { depth: 9, showHidden: true }),
      Object.getOwnPropertyNames(payingFetch).join(),
    ].join("\n");
    expect(seen).not.toContain(key);
  });

  test("make the call fail if the key is malformed, without repeating the key", async () => {
    const server = await serveOffers([makeOffer()]);
    const right = wifOf("alice");
    const wrong = right.slice(0, -1) + (right.endsWith("2") ? "3" : "2");
    const error = (await pay({ activeKey: wrong })(server.url).catch((thrown) => thrown)) as Error;
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(wrong);
    expect(error).toMatchObject({ code: "signing_failed" });
    expect(server.payments()).toEqual([]);
  });

  test("are refused on creation when nonsensical", () => {
    const options = shop.purse();
    for (const wrong of [
      { account: "Alice" },
      { activeKey: undefined },
      { activeKey: "5Jnot-a-key" },
      { chainId: "beeab0de" },
      { chainId: MAINNET_CHAIN_ID, network: "chain:sandbox" },
      { network: "base" },
      { chainId: undefined, network: `hive:${"ab".repeat(16)}` },
      { nodes: undefined },
    ])
      expect(() => createPayingFetch({ ...options, ...wrong } as PayingFetchOptions)).toThrow();
  });

  test.each<[string, object]>([
    ["maxPayment", { maxPayment: -1 }],
    ["maxPayment", { maxPayment: 0.05 }],
    ["maxPayment", { maxPayment: 0.0001 }],
    ["maxPayment", { maxPayment: Number.NaN }],
    ["maxPayment", { maxPayment: "1" }],
    ["maxPayment", { maxPayment: "1.00 HBD" }],
    ["maxPayment", { maxPayment: "1.000 HIVE" }],
    ["budget.perDay", { budget: { perDay: 1 } }],
    ["budget.perHost", { budget: { perHost: -1 } }],
    ["budget.perday", { budget: { perday: 5 } }],
    ["budget", { budget: 5 }],
    ["maxpayment", { maxpayment: 0.1 }],
    ["allowedHosts", { allowedHosts: "shop.example" }],
    ["allowedHosts", { allowedHosts: ["https://shop.example"] }],
    ["allowedResourceHosts", { allowedResourceHosts: "shop.example" }],
    ["allowedPayees", { allowedPayees: "shop" }],
    ["nodes", { nodes: "http://127.0.0.1:9" }],
    ["nodes", { nodes: [] }],
    ["fetch", { fetch: "fetch" }],
  ])("are refused by name when invalid or unknown: %s in %o", (name, wrong) => {
    const options = { ...shop.purse(), ...wrong } as PayingFetchOptions;
    expect(() => createPayingFetch(options)).toThrow(new RegExp(`^${name} (must|is no)`));
  });
});

describe("the payment's time", () => {
  test("is the chain's, so that it fits despite a wrong local clock", async () => {
    const shop = await startShop();
    onTestFinished(() => shop.close());
    await shop.chain.advanceTime(600);
    await shop.chain.produceBlocks(1);
    const head = async () => {
      const { time } = (await shop.chain.call("condenser_api.get_dynamic_global_properties", [])) as {
        time: string;
      };
      return Date.parse(`${time}Z`);
    };
    const server = await serveOffers([
      makeOffer({ validBefore: new Date((await head()) + 300_000).toISOString() }),
    ]);
    await shop.payer()(server.url);
    const { expiration = "" } = server.payments()[0]?.payload.signedTransaction ?? {};
    const aheadMs = Date.parse(`${expiration}Z`) - (await head());
    expect(aheadMs).toBeGreaterThan(30_000);
    expect(aheadMs).toBeLessThanOrEqual(60_000);
  });

  test("ends with the offer", async () => {
    const { time } = (await shop.chain.call("condenser_api.get_dynamic_global_properties", [])) as {
      time: string;
    };
    const endMs = Date.parse(`${time}Z`) + 25_000;
    const server = await serveOffers([makeOffer({ validBefore: new Date(endMs).toISOString() })]);
    await pay()(server.url);
    const { expiration } = server.payments()[0]?.payload.signedTransaction ?? {};
    expect(Date.parse(`${expiration}Z`)).toBe(endMs);
  });

  test("comes from the next node when one is dead", async () => {
    const { time } = (await shop.chain.call("condenser_api.get_dynamic_global_properties", [])) as {
      time: string;
    };
    const validBefore = new Date(Date.parse(`${time}Z`) + 300_000).toISOString();
    const server = await serveOffers([makeOffer({ validBefore })]);
    const nodes = ["http://127.0.0.1:9", ...shop.chain.urls];
    expect((await pay({ nodes })(server.url)).status).toBe(200);
  });
});
