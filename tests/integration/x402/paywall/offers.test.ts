import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAINNET_CHAIN_ID } from "#lib/chains.ts";
import type { PaywallOptions } from "#lib/x402/express.ts";
import { withPaywall } from "#lib/x402/next.ts";
import type { PaymentRequired } from "#lib/x402/types.ts";
import { decodeHeader, offerOf } from "../../../harness/ask-paid.ts";
import { serveWeb, type WebServer } from "../../../harness/serve-web.ts";

const price = {
  amount: "0.050 HBD",
  receivingAccount: "shop",
  facilitatorUrl: "http://127.0.0.1:9",
} satisfies PaywallOptions<Request>;

const open: WebServer[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

async function sell(options: Partial<PaywallOptions<Request>> = {}) {
  const answer = withPaywall({ ...price, ...options }, () => new Response("content"));
  const server = await serveWeb((request) => answer(request));
  open.push(server);
  return server.url;
}

let url: string;
beforeAll(async () => {
  url = await sell({ description: "An article", mimeType: "text/plain" });
});

describe("a request without payment", () => {
  test("gets 402 with the requirements in the body and in the x-payment header", async () => {
    const before = Date.now();
    const response = await fetch(`${url}/article`);
    const offer = await offerOf(response);
    expect(offer).toMatchObject({
      x402Version: 1,
      scheme: "exact",
      network: "chain:mainnet",
      maxAmountRequired: "0.050 HBD",
      resource: `${url}/article`,
      payTo: "shop",
      description: "An article",
      mimeType: "text/plain",
    });
    const validMs = Date.parse(offer.validBefore) - before;
    expect(offer.validBefore).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(validMs).toBeGreaterThanOrEqual(300_000);
    expect(validMs).toBeLessThan(330_000);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  });

  test("gets a code and a sentence in an answer that is not cached", async () => {
    const response = await fetch(url);
    expect(await response.clone().json()).toMatchObject({
      x402Version: 1,
      code: "payment_required",
      error: expect.stringContaining("0.050 HBD"),
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("gets an offer for the absolute address without its query", async () => {
    const response = await fetch(`${url}/article?token=geheim&page=2`);
    const text = (await response.clone().text()) + JSON.stringify([...response.headers]);
    expect((await offerOf(response)).resource).toBe(`${url}/article`);
    expect(Buffer.from(response.headers.get("x-payment") ?? "", "base64").toString()).not.toContain("geheim");
    expect(text).not.toContain("geheim");
  });

  test.each([
    ["the requested host", "shop.example:8443", "http://shop.example:8443/a?b"],
    ["the host of a Host header that also has a path", "shop.example/other?x=#", "http://shop.example/a?b"],
    ["the server's own host if the Host header is invalid", "%", "http://localhost:3000/a?b"],
  ])("gets an offer with %s", async (_what, host, resource) => {
    const answer = withPaywall(price, () => new Response("content"));
    const response = await answer(new Request("http://localhost:3000/a?b", { headers: { host } }));
    expect(`${(await offerOf(response)).resource}?b`).toBe(resource);
  });

  test("gets an offer with the public address if one is set", async () => {
    const behindProxy = await sell({ publicUrl: "https://shop.example/" });
    expect((await offerOf(await fetch(`${behindProxy}/a/b?c=d`))).resource).toBe("https://shop.example/a/b");
  });

  test("gets a new nonce each time", async () => {
    const nonces = await Promise.all(
      Array.from({ length: 5 }, async () => (await offerOf(await fetch(url))).nonce),
    );
    expect(new Set(nonces).size).toBe(5);
    for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9_-]{16,64}$/);
  });

  test("gets headers that scripts of other origins may read", async () => {
    const exposed = (await fetch(url)).headers.get("access-control-expose-headers")?.split(/, */);
    expect(exposed).toEqual(expect.arrayContaining(["x-payment", "x-payment-response", "retry-after"]));
  });

  test("gets the offer of version 2 in its header, in the smallest unit", async () => {
    const response = await fetch(`${url}/article`);
    const { nonce } = await offerOf(response.clone());
    expect(decodeHeader(response, "payment-required")).toMatchObject({
      x402Version: 2,
      resource: { url: `${url}/article`, description: "An article" },
      accepts: [
        {
          scheme: "exact",
          network: "hive:beeab0de000000000000000000000000",
          amount: "50",
          asset: "HBD",
          payTo: "shop",
          maxTimeoutSeconds: 300,
          extra: { nonce, paymentFlow: "upfront" },
        },
      ],
    });
  });

  test("gets the price function's price", async () => {
    const dynamic = await sell({
      amount: async (request) => (new URL(request.url).searchParams.has("pro") ? "1.000 HBD" : "0.001 HBD"),
    });
    expect((await offerOf(await fetch(dynamic))).maxAmountRequired).toBe("0.001 HBD");
    expect((await offerOf(await fetch(`${dynamic}/?pro`))).maxAmountRequired).toBe("1.000 HBD");
  });

  test("gets an offer, as does a HEAD even with a payment header", async () => {
    const response = await fetch(url, { method: "HEAD", headers: { "x-payment": "anything" } });
    expect(response.status).toBe(402);
    expect(decodeHeader<PaymentRequired>(response, "x-payment").accepts).not.toEqual([]);
  });
});

describe("an unreadable payment", () => {
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
  test.each([
    ["text other than base64", "%%%"],
    ["text other than JSON", Buffer.from("hello").toString("base64")],
    ["JSON of another shape", base64({ x402Version: 1 })],
    ["null", base64(null)],
    ["unclosed brackets", Buffer.from("[".repeat(6000)).toString("base64")],
    ["more than 8 KiB", "A".repeat(8196)],
  ])("gets 402 invalid_payload with a new offer: %s", async (_name, payment) => {
    const response = await fetch(url, { headers: { "x-payment": payment } });
    expect(await response.clone().json()).toMatchObject({ code: "invalid_payload" });
    expect(await offerOf(response)).toMatchObject({ payTo: "shop" });
  });
});

describe("a nonsensical option", () => {
  test.each([
    ["an amount of zero", { amount: "0.000 HBD" }],
    ["an amount with two decimals", { amount: "0.05 HBD" }],
    ["an amount in HIVE", { amount: "0.050 HIVE" }],
    ["a payee that is no account", { receivingAccount: "Shop!" }],
    ["a missing payee", { receivingAccount: undefined }],
    ["a missing facilitator", { facilitatorUrl: undefined }],
    ["a facilitator that is no address", { facilitatorUrl: "facilitator" }],
    ["a facilitator without http", { facilitatorUrl: "localhost:4020" }],
    ["a timeout of zero", { timeoutMs: 0 }],
    ["a description of 501 characters", { description: "x".repeat(501) }],
    ["a node that is no address", { nodes: ["node"] }],
    ["an unknown binding", { binding: "required" }],
    ["an unknown finality", { finality: "final" }],
    ["an empty secret", { secret: "" }],
    ["an empty network", { network: "" }],
    ["a network of another kind of chain", { network: "base" }],
    ["a network other than the chain's", { network: "chain:sandbox", chainId: MAINNET_CHAIN_ID }],
    ["an invalid chain id", { chainId: "beeab0de" }],
    ["a second store for deliveries", { dataDir: ".", redisUrl: "redis://127.0.0.1:9" }],
    ["a second facilitator", { facilitator: {} }],
    ["a misspelt option", { ammount: "1.000 HBD" }],
  ])("%s is refused on creation", (_name, wrong) => {
    expect(() =>
      withPaywall({ ...price, ...wrong } as PaywallOptions<Request>, () => new Response()),
    ).toThrow(TypeError);
  });

  test("a payee function that returns no account causes 500", async () => {
    const broken = await sell({ receivingAccount: () => "Shop!" });
    expect((await fetch(broken)).status).toBe(500);
  });

  test("a price function that returns nonsense causes 500", async () => {
    const broken = await sell({ amount: () => "0.05" });
    expect((await fetch(broken)).status).toBe(500);
  });
});
