import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { paywall } from "#lib/x402/paywall/index.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { serveNode, serveWeb } from "../../../harness/serve-web.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

type Site = { url: string; close(): Promise<void> };

let shop: Shop;
let runs = 0;
const open: Site[] = [];
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());
afterEach(() => Promise.all(open.splice(0).map((site) => site.close())));

const deliver = () => {
  runs += 1;
  return "content";
};

const sites: Array<[string, () => Promise<Site>]> = [
  [
    "Express' app.use",
    () => serveNode(express().use(paywall(shop.price), (_request, response) => void response.end(deliver()))),
  ],
  [
    "Express' app.all",
    () =>
      serveNode(
        express().all("/", paywall(shop.price), (_request, response) => void response.end(deliver())),
      ),
  ],
  [
    "a connect-style server",
    () => {
      const guard = paywall(shop.price);
      return serveNode((request, response) => guard(request, response, () => void response.end(deliver())));
    },
  ],
  ["node:http", () => serveNode(nodePaywall(shop.price, (_request, response) => response.end(deliver())))],
  [
    "Hono's app.all",
    () => {
      const app = new Hono().all("/", honoPaywall(shop.price), (c) => c.text(deliver()));
      return serveWeb((request) => app.fetch(request));
    },
  ],
  [
    "a Fastify route that lists OPTIONS",
    async () => {
      const app = fastify({ forceCloseConnections: true });
      app.route({
        method: ["GET", "OPTIONS"],
        url: "/",
        preHandler: fastifyPaywall(shop.price),
        handler: async () => deliver(),
      });
      const url = await app.listen({ port: 0, host: "127.0.0.1" });
      return { url, close: () => app.close() };
    },
  ],
  [
    "withPaywall as the OPTIONS of a route",
    () => {
      const route = withPaywall(shop.price, () => new Response(deliver()));
      return serveWeb((request) => route(request));
    },
  ],
];

const asked = { origin: "https://app.example", "access-control-request-method": "GET" };

describe.each(sites)("a preflight at %s", (_, start) => {
  test("is answered without content, and the handler does not run unpaid", async () => {
    runs = 0;
    const site = await start();
    open.push(site);
    const response = await fetch(site.url, { method: "OPTIONS", headers: asked });
    expect([response.status, await response.text(), runs]).toEqual([204, "", 0]);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect((await fetch(site.url, { method: "OPTIONS" })).status).toBe(402);
    expect((await askPaid(site.url, await shop.payFor(site.url))).status).toBe(200);
    expect(runs).toBe(1);
  });
});

describe("CORS middleware before the paywall", () => {
  test("answers preflights itself, and payments of other origins go on", async () => {
    const app = new Hono()
      .use(cors({ origin: "https://app.example", allowHeaders: ["x-payment"] }))
      .all("/", honoPaywall(shop.price), (c) => c.text(deliver()));
    const site = await serveWeb((request) => app.fetch(request));
    open.push(site);
    const preflight = await fetch(site.url, { method: "OPTIONS", headers: asked });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example");
    const { origin } = asked;
    const paid = await askPaid(site.url, await shop.payFor(site.url), { headers: { origin } });
    expect([paid.status, paid.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    expect(paid.headers.get("access-control-expose-headers")).toContain("x-payment-response");
  });

  test("may hand preflights on: its permission stays on the answer", async () => {
    const app = express();
    app.use((_request, response, next) => {
      response.setHeader("access-control-allow-origin", "https://app.example");
      next();
    });
    app.use(paywall(shop.price), (_request, response) => void response.end(deliver()));
    const site = await serveNode(app);
    open.push(site);
    runs = 0;
    const response = await fetch(site.url, { method: "OPTIONS", headers: asked });
    expect([response.status, runs]).toEqual([204, 0]);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
  });
});
