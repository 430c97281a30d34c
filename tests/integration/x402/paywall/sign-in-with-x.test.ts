import { once } from "node:events";
import { request } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { type WithPaywallOptions, withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { sandboxAccounts } from "#sandbox/accounts.ts";
import { askPaid, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";
import { askSignedIn, challengeOf, encodeProof, proofOf } from "../../../harness/sign-in.ts";
import { wifOf } from "../../../harness/start-shop.ts";

const { shop, keep, serve, listen } = await openShop({ extraNodes: 2 });

const price = () => ({
  ...shop.price,
  nodes: shop.chain.urls,
  store: createMemoryClaimStore(),
  secret: "of these servers",
  access: { for: "30d" },
});

const sell = (options: Partial<WithPaywallOptions<Request>> = {}) => {
  const GET = withPaywall<Request, object>({ ...price(), ...options }, (_request, { payer, txId }) =>
    Response.json({ payer, txId }),
  );
  return serve((asked) => GET(asked, {}));
};

/** Sells content at an address, and lets alice buy it. */
async function sellToAlice(options: Partial<WithPaywallOptions<Request>> = {}) {
  const url = await sell(options);
  const paid = await askPaid(url, await shop.payFor(url));
  return { url, txId: receiptOf(paid).txId };
}

const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code?: string }).code,
];

afterEach(() => void vi.useRealTimers());

describe("a paywall's 402", () => {
  test("with access announces sign-in-with-x as its specification requires", async () => {
    const url = `${await sell()}/report?q=1`;
    const response = await fetch(url);
    const { origin, host } = new URL(url);
    const challenge = challengeOf(response);
    expect(challenge).toEqual({
      info: {
        domain: host,
        uri: `${origin}/report`,
        version: "1",
        nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
        issuedAt: expect.any(String),
        expirationTime: expect.any(String),
        statement: expect.any(String),
        resources: [`${origin}/report`],
      },
      supportedChains: [{ chainId: `hive:${shop.chain.chainId.slice(0, 32)}`, type: "hive-posting" }],
      schema: expect.objectContaining({ type: "object" }),
    });
    const { issuedAt = "", expirationTime = "" } = challenge?.info ?? {};
    expect(Date.parse(expirationTime) - Date.parse(issuedAt)).toBe(300_000);
    expect(((await response.json()) as { extensions: unknown }).extensions).toEqual({
      "sign-in-with-x": challenge,
    });
  });

  test("has a new sign-in nonce each time", async () => {
    const url = await sell();
    const [one, other] = await Promise.all([fetch(url), fetch(url)]);
    expect(challengeOf(one)?.info.nonce).not.toBe(challengeOf(other)?.info.nonce);
  });

  test("announces no sign-in without access, or at an address that only the request names", async () => {
    expect(challengeOf(await fetch(await sell({ access: undefined })))).toBeUndefined();
    const { port } = new URL(await sell());
    const sent = request({ port, host: "127.0.0.1", headers: { host: "shop.example" } }).end();
    const [answer] = await once(sent, "response");
    answer.resume();
    const required = JSON.parse(Buffer.from(answer.headers["payment-required"], "base64").toString());
    expect(required.extensions).not.toHaveProperty("sign-in-with-x");
  });

  test("names the public address in its sign-in, if the seller has set one", async () => {
    const url = await sell({ publicUrl: "https://shop.example/" });
    expect(challengeOf(await fetch(url))?.info).toMatchObject({
      domain: "shop.example",
      uri: "https://shop.example/",
    });
  });
});

describe("a payer who signs in", () => {
  const served = { status: 200, body: { payer: "alice" } };
  const adapters: Record<string, () => Promise<string>> = {
    "hivegate/paywall": () =>
      listen(
        express().get(
          "/",
          paywall(price()),
          ({ payer, txId }, response) => void response.json({ payer, txId }),
        ),
      ),
    "hivegate/next": () => sell(),
    "hivegate/hono": () => {
      const app = new Hono().get("/", honoPaywall(price()), (c) =>
        c.json({ payer: c.get("payer"), txId: c.get("txId") }),
      );
      return listen(getRequestListener(app.fetch));
    },
    "hivegate/fastify": () => {
      const app = fastify();
      app.get("/", { preHandler: fastifyPaywall(price()) }, async ({ payer, txId }) => ({ payer, txId }));
      return keep(serveFastify(app));
    },
    "hivegate/node": () =>
      listen(nodePaywall(price(), (_request, response, paid) => response.end(JSON.stringify(paid)))),
  };

  test.each(Object.entries(adapters))(
    "reads a purchase again behind %s, and pays nothing",
    async (_name, start) => {
      const url = await start();
      const before = await shop.balances();
      const { txId } = receiptOf(await askPaid(url, await shop.payFor(url)));
      const challenge = challengeOf(await fetch(url));
      const header = encodeProof(challenge && proofOf(challenge));
      const back = await fetch(url, { headers: { "sign-in-with-x": header } });
      expect({ status: back.status, body: await back.json() }).toEqual({
        ...served,
        body: { payer: "alice", txId },
      });
      expect(receiptOf(back)).toMatchObject({ success: true, payer: "alice", txId });
      expect(back.headers.get("cache-control")).toBe("private, no-store");
      expect((await shop.balances()).alice).toBe(before.alice - 50);
      const again = await fetch(url, { headers: { "sign-in-with-x": header } });
      expect(await codeOf(again)).toEqual([402, "invalid_siwx_nonce"]);
    },
  );

  test("reads a purchase again at another server that shares store, secret and public address", async () => {
    const shared = { store: createMemoryClaimStore(), publicUrl: "https://shop.example" };
    const [one, other] = await Promise.all([sell(shared), sell(shared)]);
    const { txId } = receiptOf(await askPaid(one, await shop.payFor(one)));
    const back = await askSignedIn(other, { from: one });
    expect(await back.json()).toEqual({ payer: "alice", txId });
  });

  test("uses a signature once at all servers that share a store", async () => {
    const shared = { store: createMemoryClaimStore(), publicUrl: "https://shop.example" };
    const [one, other] = await Promise.all([sell(shared), sell(shared)]);
    await askPaid(one, await shop.payFor(one));
    const challenge = challengeOf(await fetch(one));
    const headers = { "sign-in-with-x": encodeProof(challenge && proofOf(challenge)) };
    expect((await fetch(one, { headers })).status).toBe(200);
    expect(await codeOf(await fetch(other, { headers }))).toEqual([402, "invalid_siwx_nonce"]);
  });

  test("answers a challenge under the former secret only while that secret is being replaced", async () => {
    const shared = { store: createMemoryClaimStore(), publicUrl: "https://shop.example" };
    const former = await sell({ ...shared, secret: "former" });
    await askPaid(former, await shop.payFor(former));
    const now = await sell({ ...shared, secret: "new", previousSecret: "former" });
    expect((await askSignedIn(now, { from: former })).status).toBe(200);
    const later = await sell({ ...shared, secret: "new" });
    expect(await codeOf(await askSignedIn(later, { from: former }))).toEqual([402, "invalid_siwx_nonce"]);
  });

  test("reads a purchase again if payments are settled after the handler", async () => {
    const { url, txId } = await sellToAlice({ paymentFlow: "authorization" });
    const before = await shop.balances();
    const back = await askSignedIn(url);
    expect([await back.json(), receiptOf(back).txId]).toEqual([{ payer: "alice", txId }, txId]);
    expect(await shop.balances()).toEqual(before);
  });

  test("reads another address that the seller has grouped under the same key", async () => {
    const { url } = await sellToAlice({ access: { for: "1h", key: "the series" } });
    expect((await askSignedIn(`${url}/part-2`)).status).toBe(200);
  });

  test("reads a purchase again if the seller's account function finds no session", async () => {
    const { url } = await sellToAlice({ access: { for: "1h", account: () => null } });
    expect((await askSignedIn(url)).status).toBe(200);
  });

  test("is admitted once if a signature is sent twice simultaneously", async () => {
    const { url } = await sellToAlice();
    const challenge = challengeOf(await fetch(url));
    const headers = { "sign-in-with-x": encodeProof(challenge && proofOf(challenge)) };
    const answers = await Promise.all([fetch(url, { headers }), fetch(url, { headers })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 402]);
  });
});

describe("a paywall with access", () => {
  test("refuses the sign-in of an account that has bought nothing, and offers the content", async () => {
    const { url } = await sellToAlice();
    const response = await askSignedIn(url, { account: "bob" });
    expect([response.status, await response.json()]).toMatchObject([
      402,
      { code: "not_purchased", accepts: [{ payTo: "shop" }] },
    ]);
  });

  test("refuses a sign-in if the price has risen since the purchase", async () => {
    let amount = "0.050 HBD";
    const { url } = await sellToAlice({ amount: () => amount, access: { for: "1h", key: "report" } });
    amount = "0.051 HBD";
    expect(await codeOf(await askSignedIn(url))).toEqual([402, "not_purchased"]);
  });

  test("refuses a sign-in by another account's key, and by the account's own active key", async () => {
    const { url } = await sellToAlice();
    for (const wif of [wifOf("bob", "posting"), wifOf("alice", "active")])
      expect(await codeOf(await askSignedIn(url, { wif }))).toEqual([402, "invalid_siwx_signature"]);
    expect(await codeOf(await askSignedIn(url, { address: "nobody-here" }))).toEqual([
      402,
      "invalid_siwx_signature",
    ]);
  });

  test("refuses a sign-in that was signed for another site of the same seller", async () => {
    const { url } = await sellToAlice({ access: { for: "1h", key: "everything" } });
    const other = await sell({ access: { for: "1h", key: "everything" } });
    expect(await codeOf(await askSignedIn(url, { from: other }))).toEqual([
      402,
      "invalid_siwx_domain_mismatch",
    ]);
  });

  test("refuses a sign-in for another resource, and for another query", async () => {
    const { url } = await sellToAlice({ access: { for: "1h", key: "everything" } });
    expect(await codeOf(await askSignedIn(`${url}/other`, { from: `${url}/one` }))).toEqual([
      402,
      "invalid_siwx_uri_mismatch",
    ]);
    expect(await codeOf(await askSignedIn(`${url}/one?page=2`, { from: `${url}/one?page=1` }))).toEqual([
      402,
      "invalid_siwx_nonce",
    ]);
  });

  test("refuses a sign-in for another method", async () => {
    const { url } = await sellToAlice({ access: { for: "1h", key: "everything" } });
    const challenge = challengeOf(await fetch(url));
    const headers = { "sign-in-with-x": encodeProof(challenge && proofOf(challenge)) };
    expect(await codeOf(await fetch(url, { method: "POST", headers }))).toEqual([402, "invalid_siwx_nonce"]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["another chain", { chainId: `hive:${"0".repeat(32)}` }, "invalid_siwx_unsupported_chain"],
    ["another type", { type: "eip191" }, "invalid_siwx_unsupported_chain"],
    ["an invented nonce", { nonce: "0".repeat(32) }, "invalid_siwx_nonce"],
    ["an invented time", { issuedAt: "2030-01-01T00:00:00.000Z" }, "invalid_siwx_nonce"],
    [
      "an address that is no Hive account",
      { address: "0x857b06519E91e3A54538791bDbb0E22373e36b66" },
      "invalid_siwx_header",
    ],
    ["no signature", { signature: "" }, "invalid_siwx_header"],
    ["a signature that no key created", { signature: `1f${"f".repeat(128)}` }, "invalid_siwx_signature"],
    ["more than 4 KiB", { statement: "a".repeat(4096) }, "invalid_siwx_header"],
  ])("refuses a sign-in with %s", async (_what, changes, code) => {
    const { url } = await sellToAlice();
    expect(await codeOf(await askSignedIn(url, changes))).toEqual([402, code]);
  });

  test.each(["", "%", "bm90IGpzb24=", "W10="])("refuses a sign-in that can't be read: %j", async (text) => {
    const { url } = await sellToAlice();
    const code = text === "" ? "payment_required" : "invalid_siwx_header";
    expect(await codeOf(await fetch(url, { headers: { "sign-in-with-x": text } }))).toEqual([402, code]);
  });

  test("refuses a signed text that the server did not issue", async () => {
    const { url } = await sellToAlice();
    const challenge = challengeOf(await fetch(url));
    if (!challenge) throw new Error("no challenge");
    const changed = { ...challenge, info: { ...challenge.info, statement: "I give up my purchases." } };
    const headers = { "sign-in-with-x": encodeProof(proofOf(changed)) };
    expect(await codeOf(await fetch(url, { headers }))).toEqual([402, "invalid_siwx_signature"]);
  });

  test("refuses a sign-in five minutes after its challenge", async () => {
    const { url } = await sellToAlice();
    const challenge = challengeOf(await fetch(url));
    const headers = { "sign-in-with-x": encodeProof(challenge && proofOf(challenge)) };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 301_000 });
    expect(await codeOf(await fetch(url, { headers }))).toEqual([402, "invalid_siwx_expired"]);
  });

  test("refuses a challenge from a server whose clock is ahead", async () => {
    const { url } = await sellToAlice();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    const challenge = challengeOf(await fetch(url));
    vi.useRealTimers();
    const headers = { "sign-in-with-x": encodeProof(challenge && proofOf(challenge)) };
    expect(await codeOf(await fetch(url, { headers }))).toEqual([402, "invalid_siwx_issued_at_in_future"]);
  });

  test("refuses a sign-in sent with HEAD, and does not use it up", async () => {
    const { url } = await sellToAlice();
    const challenge = challengeOf(await fetch(url));
    const headers = { "sign-in-with-x": encodeProof(challenge && proofOf(challenge)) };
    expect((await fetch(url, { method: "HEAD", headers })).status).toBe(402);
    expect((await fetch(url, { headers })).status).toBe(200);
  });
});

describe("the posting authority", () => {
  const postingKey = (name: string) =>
    sandboxAccounts.find((account) => account.name === name)?.keys.posting.publicKey ?? "";
  const authority = (weight_threshold: number, ...key_auths: Array<[string, number]>) => ({
    weight_threshold,
    key_auths: key_auths.sort(),
    account_auths: [],
  });
  /** Gives alice a new authority. The former may stay cached for 30 s, so each test uses other node URLs. */
  const change = async (posting: ReturnType<typeof authority>) => {
    await shop.chain.setAccount({ name: "alice", posting });
  };
  beforeEach(() => change(authority(1, [postingKey("alice"), 1])));
  afterEach(() => change(authority(1, [postingKey("alice"), 1])));
  const [one = "", other = "", third = ""] = shop.chain.urls;

  test("admits a new key immediately, and refuses the former one", async () => {
    const { url } = await sellToAlice({ nodes: [`${one}/?a`, other] });
    expect((await askSignedIn(url)).status).toBe(200);
    await change(authority(1, [postingKey("carol"), 1]));
    expect((await askSignedIn(url, { wif: wifOf("carol", "posting") })).status).toBe(200);
    expect(await codeOf(await askSignedIn(url))).toEqual([402, "invalid_siwx_signature"]);
  });

  test("refuses one key if the account needs two", async () => {
    const { url } = await sellToAlice({ nodes: [`${one}/?b`, other] });
    await change(authority(2, [postingKey("alice"), 1], [postingKey("bob"), 1]));
    expect(await codeOf(await askSignedIn(url))).toEqual([402, "invalid_siwx_signature"]);
  });

  test("admits one key of several that suffices alone", async () => {
    const { url } = await sellToAlice({ nodes: [`${one}/?c`, other] });
    await change(authority(2, [postingKey("alice"), 2], [postingKey("bob"), 1]));
    expect((await askSignedIn(url)).status).toBe(200);
  });

  describe("read from two nodes", () => {
    afterEach(() => shop.chain.clearFaults(0));
    const lie = () =>
      shop.chain.setFault({
        kind: "lie",
        method: "database_api.find_accounts",
        result: {
          accounts: [{ name: "alice", posting: authority(1, [postingKey("bob"), 1]) }],
        },
      });
    const asBob = { wif: wifOf("bob", "posting") };

    test("refuses a key that one node invents", async () => {
      const { url } = await sellToAlice({ nodes: [`${one}/?d`, other, third] });
      await lie();
      expect(await codeOf(await askSignedIn(url, asBob))).toEqual([402, "invalid_siwx_signature"]);
      expect((await askSignedIn(url)).status).toBe(200);
    });

    test("leaves a sign-in usable after two nodes contradicted each other", async () => {
      const { url } = await sellToAlice({ nodes: [`${one}/?e`, other] });
      await lie();
      const challenge = challengeOf(await fetch(url));
      const headers = { "sign-in-with-x": encodeProof(challenge && proofOf(challenge)) };
      const refused = await fetch(url, { headers });
      expect(refused.headers.get("retry-after")).toBe("2");
      expect(await codeOf(refused)).toEqual([503, "sign_in_unavailable"]);
      await shop.chain.clearFaults(0);
      expect((await fetch(url, { headers })).status).toBe(200);
    });
  });
});

test("a store that is down costs no one a second payment", async () => {
  const store = createMemoryClaimStore();
  let isDown = false;
  const get = (key: string) => (isDown ? Promise.reject(new Error("down")) : store.get(key));
  const { url } = await sellToAlice({ store: { ...store, get } });
  isDown = true;
  expect(await codeOf(await askSignedIn(url))).toEqual([503, "degraded"]);
  isDown = false;
  expect((await askSignedIn(url)).status).toBe(200);
});

test("a payment sent along with a sign-in is judged as if it came alone", async () => {
  const url = await sell();
  const payment = await shop.payFor(url);
  const answer = await askPaid(url, payment, { headers: { "sign-in-with-x": "nonsense" } });
  expect(answer.status).toBe(200);
});
