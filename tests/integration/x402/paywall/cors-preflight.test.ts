import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { describe, expect, test } from "vitest";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep, serve, listen } = await openShop();
let runs = 0;

const deliver = () => {
  runs += 1;
  return "content";
};

const sites: Array<[string, () => Promise<string>]> = [
  [
    "Express' app.use",
    () => listen(express().use(paywall(shop.price), (_request, response) => void response.end(deliver()))),
  ],
  [
    "Express' app.all",
    () =>
      listen(express().all("/", paywall(shop.price), (_request, response) => void response.end(deliver()))),
  ],
  [
    "a connect-style server",
    () => {
      const guard = paywall(shop.price);
      return listen((request, response) => guard(request, response, () => void response.end(deliver())));
    },
  ],
  ["node:http", () => listen(nodePaywall(shop.price, (_request, response) => response.end(deliver())))],
  [
    "Hono's app.all",
    () => {
      const app = new Hono().all("/", honoPaywall(shop.price), (c) => c.text(deliver()));
      return serve((request) => app.fetch(request));
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
      return keep(serveFastify(app));
    },
  ],
  [
    "withPaywall as the OPTIONS of a route",
    () => {
      const route = withPaywall(shop.price, () => new Response(deliver()));
      return serve((request) => route(request));
    },
  ],
];

const asked = { origin: "https://app.example", "access-control-request-method": "GET" };

describe.each(sites)("a preflight at %s", (_, start) => {
  test("gets an answer without content, and does not run the handler unpaid", async () => {
    runs = 0;
    const url = await start();
    const response = await fetch(url, { method: "OPTIONS", headers: asked });
    expect([response.status, await response.text(), runs]).toEqual([204, "", 0]);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect((await fetch(url, { method: "OPTIONS" })).status).toBe(402);
    expect((await askPaid(url, await shop.payFor(url))).status).toBe(200);
    expect(runs).toBe(1);
  });
});

describe("CORS middleware in front of the paywall", () => {
  test("answers preflights itself, and passes on payments from other origins", async () => {
    const app = new Hono()
      .use(cors({ origin: "https://app.example", allowHeaders: ["x-payment"] }))
      .all("/", honoPaywall(shop.price), (c) => c.text(deliver()));
    const url = await serve((request) => app.fetch(request));
    const preflight = await fetch(url, { method: "OPTIONS", headers: asked });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example");
    const { origin } = asked;
    const paid = await askPaid(url, await shop.payFor(url), { headers: { origin } });
    expect([paid.status, paid.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    expect(paid.headers.get("access-control-expose-headers")).toContain("x-payment-response");
  });

  test("can pass preflights on, and its headers stay on the answer", async () => {
    const app = express();
    app.use((_request, response, next) => {
      response.setHeader("access-control-allow-origin", "https://app.example");
      next();
    });
    app.use(paywall(shop.price), (_request, response) => void response.end(deliver()));
    const url = await listen(app);
    runs = 0;
    const response = await fetch(url, { method: "OPTIONS", headers: asked });
    expect([response.status, runs]).toEqual([204, 0]);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
  });
});
