import { once } from "node:events";
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import express5 from "express5";
import fastify from "fastify";
import { Hono } from "hono";
import { afterAll, describe, expect, test } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { type PaywallOptions, paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import type { PaymentRequired } from "#lib/x402/types.ts";
import { askPaid, offerOf } from "../../../harness/ask-paid.ts";
import { exchangeBytes } from "../../../harness/exchange-bytes.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep, serve, listen } = await openShop();

type Options = Partial<PaywallOptions<unknown>>;
type Site = (options?: Options) => Promise<string>;
type ExpressLike = typeof express;

const priced = (options: Options = {}) =>
  ({ ...shop.price, store: createMemoryClaimStore(), ...options }) as PaywallOptions<unknown>;

const expressSite =
  (create: ExpressLike): Site =>
  (options) => {
    const app = create();
    app.set("trust proxy", true);
    const guard = paywall(priced(options));
    app.get("/article/:id", guard, (request, response) => void response.json({ id: request.params.id }));
    app.get("/article/:id/:part", guard, (request, response) => void response.json(request.params));
    const mounted = create.Router();
    mounted.get("/:id", guard, (request, response) => void response.json(request.params));
    app.use("/mounted", mounted);
    return listen(app);
  };

const sites: Array<[string, Site]> = [
  ["Express 4", expressSite(express)],
  ["Express 5", expressSite(express5)],
  [
    "Fastify",
    (options) => {
      const app = fastify({
        forceCloseConnections: true,
        trustProxy: true,
        routerOptions: { maxParamLength: 5000 },
      });
      const preHandler = fastifyPaywall(priced(options));
      for (const path of ["/article/:id", "/article/:id/:part", "/mounted/:id"])
        app.get(path, { preHandler }, async ({ params }) => params);
      return keep(serveFastify(app));
    },
  ],
  [
    "node:http",
    (options) =>
      listen(nodePaywall(priced(options), (request, response) => response.end(JSON.stringify(request.url)))),
  ],
  [
    "Hono on Node",
    (options) => {
      const app = new Hono();
      const guard = honoPaywall(priced(options));
      for (const path of ["/article/:id", "/article/:id/:part", "/mounted/:id"])
        app.get(path, guard, (c) => c.json({ ...c.req.param(), page: c.req.query("id") }));
      // Hono's server resolves dot segments before it routes.
      for (const path of ["/article", "/article/", "/article/:id/"])
        app.get(path, guard, (c) => c.text("all"));
      return listen(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
    },
  ],
];

/** Returns a server's answer to a raw request line with this target. */
const askRaw = (url: string, target: string, headers = "") =>
  exchangeBytes(
    Number(new URL(url).port),
    `GET ${target} HTTP/1.1\r\nHost: shop.example\r\n${headers}Connection: close\r\n\r\n`,
  );

const offered = (answer: string) =>
  JSON.parse(
    Buffer.from(/^x-payment: (.*)\r$/im.exec(answer)?.[1] ?? "", "base64").toString(),
  ) as PaymentRequired;

const twisted = [
  "http://shop.example/article/cheap",
  "/article/X/..",
  "/article/X/.",
  "/article/./X",
  "/article/X/%2e%2e",
  "/article/X/.%2E",
  "/article/%2e",
  "/article/X%2Fy",
  "/article/X%5cy",
  "/article/e%78pensive",
  "/article/X%00",
  "/article/X%0a",
  "/article/X?x=1#&id=Y",
  "/article/X#y",
  `/article/${"x".repeat(2048)}`,
];
/** Targets that some routers read as another path, or as no path, and answer before any paywall. */
const lost = [
  "//article/X",
  "//shop.example/article/X",
  "//@/article/X",
  "/article\\X",
  "/article/X\\y",
  "/article/X\\..\\y",
];

describe.each(sites)("%s", (_name, open) => {
  test.each(twisted)("returns 400 for the target %j without asking for payment", async (target) => {
    const url = await open();
    expect(await askRaw(url, target)).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_target"/s);
  });

  test.each(lost)("sells nothing at the target %j", async (target) => {
    const url = await open();
    expect(await askRaw(url, target)).toMatch(/^HTTP\/1.1 40[04] /);
  });

  test("offers addresses with their escapes unchanged, and without their queries", async () => {
    const url = await open();
    for (const path of ["/article/caf%C3%A9", "/article/a%20b", "/article/%25", "/article/a;b,c@d"]) {
      const answer = await askRaw(url, `${path}?to=../%2F%2e&q=100%`);
      expect(answer).toMatch(/^HTTP\/1.1 402 /);
      expect(offered(answer).accepts[0]?.resource).toBe(`http://shop.example${path}`);
    }
  });

  test("accepts a payment for the longest address that it offers", async () => {
    const url = await open();
    const longest = `${url}/article/`.padEnd(2048, "x");
    expect((await askPaid(longest, await shop.payFor(longest))).status).toBe(200);
    expect((await fetch(`${longest}x`)).status).toBe(400);
  });

  test("names the resource by the full path under a prefix", async () => {
    const url = await open();
    expect((await offerOf(await fetch(`${url}/mounted/a?x=1`))).resource).toBe(`${url}/mounted/a`);
  });

  test("ignores invalid protocols and hosts in a proxy's headers", async () => {
    const url = await open();
    for (const line of [
      "X-Forwarded-Proto: foo",
      "X-Forwarded-Proto: httpfoo",
      "X-Forwarded-Host: a b/%\\",
    ]) {
      const answer = await askRaw(url, "/article/a", `${line}\r\n`);
      expect(answer, line).toMatch(/^HTTP\/1.1 402 /);
      expect(offered(answer).accepts[0]?.resource).toBe("http://shop.example/article/a");
    }
  });

  test("does not open expensive content for a cheaper purchase", async () => {
    type Asked = { url: string; headers: Headers | Record<string, string> };
    /** Returns the request. Hono passes its context, which contains the request. */
    const requestOf = (given: Asked | { req: { raw: Asked } }) => ("req" in given ? given.req.raw : given);
    const account = (given: Asked) => {
      const { headers } = requestOf(given);
      return headers instanceof Headers ? headers.get("x-account") : (headers["x-account"] ?? null);
    };
    const amount = (given: Asked) => (requestOf(given).url.includes("dear") ? "9.000 HBD" : "0.001 HBD");
    const options = { amount, access: { for: "30d", key: "all", account } } as unknown as Options;
    const url = await open(options);
    const cheap = `${url}/article/cheap`;
    expect((await askPaid(cheap, await shop.payFor(cheap))).status).toBe(200);
    const headers = { "x-account": "alice" };
    expect((await fetch(cheap, { headers })).status).toBe(200);
    expect((await fetch(`${url}/article/other`, { headers })).status).toBe(200);
    const dear = await fetch(`${url}/article/dear`, { headers });
    expect((await offerOf(dear)).maxAmountRequired).toBe("9.000 HBD");
  });
});

test("Fastify's paywall offers the target as it was before rewriting", async () => {
  const app = fastify({ forceCloseConnections: true, rewriteUrl: () => "/article" });
  app.get("/article", { preHandler: fastifyPaywall(shop.price) }, async () => "content");
  const url = await keep(serveFastify(app));
  expect((await offerOf(await fetch(`${url}/en/article`))).resource).toBe(`${url}/en/article`);
});

test("a Hono app with a base path offers the full path", async () => {
  const app = new Hono().basePath("/shop").get("/article", honoPaywall(shop.price), (c) => c.text("content"));
  const url = await serve((request) => app.fetch(request));
  expect((await offerOf(await fetch(`${url}/shop/article`))).resource).toBe(`${url}/shop/article`);
});

test.each(["/article/X%2Fy", "/article/e%78pensive", "/a#b", `/${"x".repeat(2048)}`])(
  "withPaywall returns 400 for %j",
  async (target) => {
    const GET = withPaywall(shop.price, () => new Response("content"));
    const url = `http://shop.example${target}`;
    const response = await GET({ method: "GET", url, headers: new Headers() } as Request);
    expect([response.status, await response.json()]).toMatchObject([400, { code: "invalid_target" }]);
  },
);

describe("an HTTP/2 server", () => {
  const open: Array<{ close(): void }> = [];
  afterAll(() => {
    for (const one of open) one.close();
  });

  test("names the host of :authority in its offer, and delivers after payment", async () => {
    const server = createHttp2Server(
      nodePaywall(shop.price, (_request: Http2ServerRequest, response: Http2ServerResponse) => {
        response.writeHead(201, { "x-own": "1" });
        response.write("con");
        response.end("tent");
      }),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    open.push(session, server);
    const ask = async (headers: Record<string, string> = {}) => {
      const stream = session.request({ ":path": "/a?b=1", ":authority": "shop.example", ...headers });
      const [head] = (await once(stream, "response")) as [Record<string, string>];
      let text = "";
      for await (const chunk of stream) text += chunk;
      return { head, text };
    };
    const { head, text } = await ask();
    expect(head[":status"]).toBe(402);
    const [requirements] = (JSON.parse(text) as PaymentRequired).accepts;
    expect(requirements?.resource).toBe("http://shop.example/a");
    if (!requirements) return;
    const payment = await signPayment({ ...shop.purse(), requirements });
    await expect.poll(async () => (await ask({ "x-payment": payment })).text).toBe("content");
    expect((await ask({ ":path": "/a/../b" })).head[":status"]).toBe(400);
  });
});

test.each([undefined, "", 5])("access.key of %j is refused if the amount is a function", (key) => {
  const access = { for: "30d", account: () => null, ...(key !== undefined && { key }) };
  expect(() =>
    withPaywall(
      { ...shop.price, amount: () => "0.001 HBD", access } as unknown as PaywallOptions<Request>,
      () => new Response(),
    ),
  ).toThrow(/access\.key/);
});

test("access.key may be a function of the request, and each key is a separate purchase", async () => {
  const account = (request: Request) => request.headers.get("x-account");
  const key = (request: Request) => new URL(request.url).pathname.split("/")[1] ?? "";
  const access = { for: "30d", account, key };
  const GET = withPaywall<Request, object>(
    { ...shop.price, store: createMemoryClaimStore(), amount: () => "0.001 HBD", access },
    () => new Response("content"),
  );
  const url = await serve((request) => GET(request, {}));
  const headers = { "x-account": "alice" };
  await askPaid(`${url}/one/1`, await shop.payFor(`${url}/one/1`));
  expect((await fetch(`${url}/one/2`, { headers })).status).toBe(200);
  expect((await fetch(`${url}/two/1`, { headers })).status).toBe(402);
});
