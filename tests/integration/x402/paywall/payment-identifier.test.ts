import type { ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import compression from "compression";
import express, { type RequestHandler } from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { type ClaimStore, type PaywallOptions, paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import type { PaymentPayloadV2, PaymentRequiredV2 } from "#lib/x402/types.ts";
import { decodeHeader } from "../../../harness/ask-paid.ts";
import { askIdentified, identify, makeId, sendIdentified } from "../../../harness/identify-payment.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep, serve, listen } = await openShop();

/** A handler's answer. */
type Reply = { status: number; headers: Array<[string, string]>; chunks: Uint8Array[] };
type Sell = (reply: () => Reply, options?: Pick<PaywallOptions, "store" | "paymentFlow">) => Promise<string>;

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index % 251);
const content: Reply = {
  status: 201,
  headers: [
    ["content-type", "application/x-report"],
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["x-own", "own"],
  ],
  chunks: [bytes(1000)],
};
const stream = (chunks: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
const bodyOf = ({ chunks }: Reply) => (chunks.length === 1 ? (chunks[0] as Uint8Array) : stream(chunks));
const namesOf = ({ headers }: Reply) => [...new Set(headers.map(([name]) => name))];
const valuesOf = ({ headers }: Reply, name: string) =>
  headers.filter(([other]) => other === name).map(([, value]) => value);

/** Writes a reply to a response of Node: at once, or as a stream. */
function write({ status, chunks, ...reply }: Reply, response: ServerResponse): void {
  response.statusCode = status;
  for (const name of namesOf({ status, chunks, ...reply }))
    response.setHeader(name, valuesOf({ status, chunks, ...reply }, name));
  if (chunks.length === 1) return void response.end(chunks[0]);
  for (const chunk of chunks) response.write(chunk);
  response.end();
}
const web = (reply: Reply) =>
  new Response(bodyOf(reply) as BodyInit, { status: reply.status, headers: reply.headers });

const sellers: Array<[name: string, sell: Sell]> = [
  [
    "Express",
    (reply, options) =>
      listen(
        express().use(paywall({ ...shop.price, ...options }), (_request, response) =>
          write(reply(), response),
        ),
      ),
  ],
  [
    "Next",
    (reply, options) => {
      const GET = withPaywall({ ...shop.price, ...options, onFault: () => {} }, () => web(reply()));
      return serve((request) => GET(request));
    },
  ],
  [
    "Hono",
    (reply, options) => {
      const app = new Hono().get("/*", honoPaywall({ ...shop.price, ...options }), () => web(reply()));
      return listen(getRequestListener(app.fetch));
    },
  ],
  [
    "Fastify",
    (reply, options) => {
      const app = fastify();
      app.get("/*", { preHandler: fastifyPaywall({ ...shop.price, ...options }) }, (_request, to) => {
        const given = reply();
        void to.code(given.status);
        for (const [name, value] of given.headers) void to.header(name, value);
        const body = bodyOf(given);
        return to.send(body instanceof Uint8Array ? Buffer.from(body) : body);
      });
      return keep(serveFastify(app));
    },
  ],
  [
    "a plain Node server",
    (reply, options) =>
      listen(nodePaywall({ ...shop.price, ...options }, (_request, response) => write(reply(), response))),
  ],
];

const sellWithNext: (options?: { store?: ClaimStore }) => Promise<string> = (options) => {
  const GET = withPaywall({ ...shop.price, ...options }, () => web(content));
  return serve((request) => GET(request));
};

/** Signs a payment with an id for the offer at an address. */
async function pay(url: string, id: unknown = makeId()): Promise<PaymentPayloadV2> {
  return identify(await shop.payFor(url), await fetch(url), id);
}

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;
const refusalOf = async (response: Response) => [response.status, await codeOf(response)];

/** Returns all parts of an answer that a client sees, except the headers of the connection. */
async function seen(response: Response) {
  const ofConnection = ["connection", "keep-alive", "transfer-encoding", "content-length", "date"];
  const headers = [...response.headers].filter(([name]) => !ofConnection.includes(name));
  return {
    status: response.status,
    headers: headers.sort(),
    body: Buffer.from(await response.arrayBuffer()).toString("base64"),
  };
}

describe.each(sellers)("the paywall for %s", (_name, sell) => {
  test("announces payment-identifier in its 402", async () => {
    const asked = await fetch(await sell(() => content));
    expect(decodeHeader<PaymentRequiredV2>(asked, "payment-required").extensions).toMatchObject({
      "payment-identifier": { info: { required: false }, schema: { type: "object" } },
    });
  });

  test.each([
    ["in one piece", [bytes(1000)]],
    ["as a stream", [bytes(700), bytes(3000), bytes(1)]],
    ["of 64 KiB", [bytes(65_536)]],
  ])(
    "repeats an answer %s as it was sent, without running, verifying or charging again",
    async (_, chunks) => {
      let runs = 0;
      const url = await sell(() => {
        runs += 1;
        return { ...content, chunks };
      });
      const payload = await pay(url);
      const first = await seen(await askIdentified(url, payload));
      const [calls, before] = [shop.door.calls.length, await shop.balances()];
      const again = await askIdentified(url, payload);
      expect(decodeHeader(again, "payment-response")).toMatchObject({ success: true, payer: "alice" });
      expect(again.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
      expect(await seen(again)).toEqual(first);
      expect(first).toMatchObject({ status: 201, body: Buffer.concat(chunks).toString("base64") });
      expect(runs).toBe(1);
      expect(shop.door.calls.length).toBe(calls);
      expect(await shop.balances()).toEqual(before);
    },
  );

  test("stores no answer over 64 KiB: the same payment then gets 402, as without an id", async () => {
    const url = await sell(() => ({ ...content, chunks: [bytes(65_536), bytes(1)] }));
    const payload = await pay(url);
    expect((await (await askIdentified(url, payload)).arrayBuffer()).byteLength).toBe(65_537);
    expect(await refusalOf(await askIdentified(url, payload))).toEqual([402, "payment_replayed"]);
  });

  test("does not store a 500 answer: the same payment runs the handler again", async () => {
    const replies = [{ ...content, status: 500 }, content];
    const url = await sell(() => replies.shift() ?? content);
    const payload = await pay(url);
    expect((await sendIdentified(url, payload)).status).toBe(500);
    const second = await seen(await askIdentified(url, payload));
    expect(second.status).toBe(201);
    expect(await seen(await askIdentified(url, payload))).toEqual(second);
    expect(replies).toEqual([]);
  });

  test("stores a 404 answer, which counts as delivered", async () => {
    const url = await sell(() => ({ ...content, status: 404 }));
    const payload = await pay(url);
    const first = await seen(await askIdentified(url, payload));
    expect(first.status).toBe(404);
    expect(await seen(await askIdentified(url, payload))).toEqual(first);
  });

  test("returns 409 for another payment with the same id, and charges nothing for it", async () => {
    const url = await sell(() => content);
    const id = makeId();
    await askIdentified(url, await pay(url, id));
    const other = await pay(url, id);
    const [calls, before] = [shop.door.calls.length, await shop.balances()];
    expect(await refusalOf(await askIdentified(url, other))).toEqual([409, "payment_identifier_used"]);
    expect(shop.door.calls.length).toBe(calls);
    expect(await shop.balances()).toEqual(before);
  });

  test.each([
    ["that is too short", "pay_15_characte"],
    ["that is too long", "x".repeat(129)],
    ["with a blank", "pay_7d5d747be160e280 504c099d"],
    ["that is not text", 1234567890123456],
  ])("returns 400 for an id %s, and charges nothing", async (_, id) => {
    const url = await sell(() => content);
    const payload = await pay(url, id);
    const before = await shop.balances();
    expect(await refusalOf(await askIdentified(url, payload))).toEqual([400, "invalid_payment_identifier"]);
    expect(await shop.balances()).toEqual(before);
  });

  test("returns 409 for a copy of a payment whose holder's secret is missing or wrong", async () => {
    const url = await sell(() => content);
    const payload = await pay(url);
    await askIdentified(url, payload);
    const { holder: _secret, ...shown } = payload.payload;
    for (const copied of [shown, { ...shown, holder: "t".repeat(43) }]) {
      const copy = { ...payload, payload: copied };
      expect(await refusalOf(await askIdentified(url, copy))).toEqual([409, "payment_identifier_used"]);
    }
  });

  test("stores no answer for a payment without its holder's secret", async () => {
    const url = await sell(() => content);
    const payload = await pay(url);
    const { holder: _secret, ...shown } = payload.payload;
    const anyone = { ...payload, payload: shown };
    expect((await askIdentified(url, anyone)).status).toBe(201);
    expect(await refusalOf(await askIdentified(url, anyone))).toEqual([402, "payment_replayed"]);
  });

  test("never returns a stored answer for HEAD or for another address", async () => {
    const url = await sell(() => content);
    const payload = await pay(`${url}/one`);
    await askIdentified(`${url}/one`, payload);
    expect((await sendIdentified(`${url}/one`, payload, { method: "HEAD" })).status).toBe(402);
    expect(await refusalOf(await askIdentified(`${url}/two`, payload))).toEqual([402, "payment_replayed"]);
  });
});

describe.each(sellers)("the paywall for %s that settles after the handler", (_name, sell) => {
  const options = { paymentFlow: "authorization" } as const;

  test.each([
    ["in one piece", [bytes(1000)]],
    ["as a stream", [bytes(700), bytes(3000), bytes(1)]],
  ])("repeats an answer %s as it was sent, without running or charging again", async (_, chunks) => {
    let runs = 0;
    const url = await sell(() => {
      runs += 1;
      return { ...content, chunks };
    }, options);
    const payload = await pay(url);
    const first = await seen(await askIdentified(url, payload));
    const before = await shop.balances();
    const again = await askIdentified(url, payload);
    expect(decodeHeader(again, "payment-response")).toMatchObject({ success: true, payer: "alice" });
    expect(await seen(again)).toEqual(first);
    expect(first).toMatchObject({ status: 201, body: Buffer.concat(chunks).toString("base64") });
    expect(runs).toBe(1);
    expect(await shop.balances()).toEqual(before);
  });

  test("lets another payment use the id of a payment whose handler failed", async () => {
    const replies = [{ ...content, status: 500 }];
    const url = await sell(() => replies.shift() ?? content, options);
    const id = makeId();
    expect((await sendIdentified(url, await pay(url, id))).status).toBe(500);
    expect((await askIdentified(url, await pay(url, id))).status).toBe(201);
  });
});

describe("an id that arrives with two payments at once", () => {
  test.each(["upfront", "authorization"] as const)(
    "is accepted with one of them, and only that one is charged: %s",
    async (paymentFlow) => {
      const [, sell] = sellers[0] as (typeof sellers)[number];
      const url = await sell(() => content, { paymentFlow });
      const id = makeId();
      const payloads = [await pay(url, id), await pay(url, id)];
      const before = await shop.balances();
      const answers = await Promise.all(payloads.map((payload) => askIdentified(url, payload)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect((await shop.balances()).alice).toBe(before.alice - 50);
    },
  );
});

describe("the id of a payment", () => {
  test("can be used by another payment after the first was refused at settlement", async () => {
    const url = await sellWithNext();
    const id = makeId();
    const refused = await pay(url, id);
    shop.door.treat((path) =>
      path === "/settle"
        ? { status: 200, text: JSON.stringify({ success: false, errorReason: "insufficient_funds" }) }
        : "pass",
    );
    expect(await refusalOf(await askIdentified(url, refused))).toEqual([402, "insufficient_funds"]);
    shop.door.treat(() => "pass");
    expect((await askIdentified(url, await pay(url, id))).status).toBe(201);
  });

  test("is not taken by a payment that fails verification", async () => {
    const url = await sellWithNext();
    const id = makeId();
    const valid = await pay(url, id);
    const [signature = ""] = valid.payload.signedTransaction.signatures;
    const signedTransaction = {
      ...valid.payload.signedTransaction,
      signatures: [signature.replace(/^../, "1f")],
    };
    const forged = { ...valid, payload: { ...valid.payload, signedTransaction, holder: "t".repeat(43) } };
    shop.door.treat((path) =>
      path === "/verify"
        ? { change: () => ({ isValid: false, invalidReason: "signature_invalid" }) }
        : "pass",
    );
    expect(await refusalOf(await askIdentified(url, forged))).toEqual([402, "signature_invalid"]);
    shop.door.treat(() => "pass");
    expect((await askIdentified(url, valid)).status).toBe(201);
  });

  test("is stored for a day, and the answer under it for an hour", async () => {
    const lives = new Map<string, number | undefined>();
    const memory = createMemoryClaimStore();
    const store: ClaimStore = {
      ...memory,
      setIfAbsent(key, value, ttlSeconds) {
        lives.set(key.split(":", 2).join(":"), ttlSeconds);
        return memory.setIfAbsent(key, value, ttlSeconds);
      },
    };
    const url = await sellWithNext({ store });
    const payload = await pay(url);
    await askIdentified(url, payload);
    expect((await askIdentified(url, payload)).status).toBe(201);
    expect([lives.get("x402:id"), lives.get("x402:answer")]).toEqual([86_400, 3600]);
  });

  test("does not withhold an answer that can't be stored", async () => {
    const memory = createMemoryClaimStore();
    const store: ClaimStore = {
      ...memory,
      async setIfAbsent(key, ...rest) {
        if (key.startsWith("x402:answer:")) throw new Error("the disk is full");
        return memory.setIfAbsent(key, ...rest);
      },
    };
    const url = await sellWithNext({ store });
    const payload = await pay(url);
    expect((await askIdentified(url, payload)).status).toBe(201);
    expect(await refusalOf(await askIdentified(url, payload))).toEqual([402, "payment_replayed"]);
  });

  test("causes 503 `degraded` without a charge while the store is down", async () => {
    const store = { ...createMemoryClaimStore(), get: () => Promise.reject(new Error("down")) };
    const url = await sellWithNext({ store });
    const payload = await pay(url);
    const before = await shop.balances();
    expect(await refusalOf(await sendIdentified(url, payload))).toEqual([503, "degraded"]);
    expect(await shop.balances()).toEqual(before);
  });
});

describe("compression", () => {
  const guard = () => paywall(shop.price) as RequestHandler;
  const compress = () => compression({ threshold: 0 });
  test.each<[string, () => RequestHandler[]]>([
    ["in front of the paywall", () => [compress(), guard()]],
    ["behind the paywall", () => [guard(), compress()]],
  ])("%s applies to a repeated answer as to the first one", async (_, middleware) => {
    const app = express().use(
      ...middleware(),
      (_request, response) => void response.type("text").send("content"),
    );
    const url = await listen(app);
    const payload = await pay(url);
    const first = await askIdentified(url, payload);
    const again = await askIdentified(url, payload);
    expect([first, again].map(({ headers }) => headers.get("content-encoding"))).toEqual(["gzip", "gzip"]);
    expect([await first.text(), await again.text()]).toEqual(["content", "content"]);
  });
});
