import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep, serve, listen } = await openShop();

const LOCATION = "/there?a=1;b=2";
const redirectByNext = () => {
  throw Object.assign(new Error("NEXT_REDIRECT"), { digest: `NEXT_REDIRECT;replace;${LOCATION};303;` });
};

/** Functions that start a seller whose paid answer is a redirect, and return its address. */
const sellers: Array<[string, () => Promise<string>]> = [
  [
    "Express",
    () =>
      listen(
        express().get("/", paywall(shop.price), (_request, response) => response.redirect(303, LOCATION)),
      ),
  ],
  [
    "Fastify",
    () => {
      const app = fastify({ forceCloseConnections: true });
      app.get("/", { preHandler: fastifyPaywall(shop.price) }, (_request, reply) =>
        reply.redirect(LOCATION, 303),
      );
      return keep(serveFastify(app));
    },
  ],
  [
    "Hono",
    () =>
      listen(
        getRequestListener(
          new Hono().get("/", honoPaywall(shop.price), (c) => c.redirect(LOCATION, 303)).fetch,
        ),
      ),
  ],
  [
    "Next",
    () =>
      serve(
        withPaywall(shop.price, () => new Response(null, { status: 303, headers: { location: LOCATION } })),
      ),
  ],
  ["Next's redirect()", () => serve(withPaywall(shop.price, redirectByNext))],
  [
    "Node",
    () =>
      listen(
        nodePaywall(shop.price, (_request, response) => {
          response.writeHead(303, { location: LOCATION }).end();
        }),
      ),
  ],
];

test.each(sellers)(
  "a paid redirect of %s has a receipt, and its address in a header on request",
  async (_, start) => {
    const url = await start();
    for (const [asks, reads] of [
      [undefined, "location"],
      ["reveal", "x-payment-redirect"],
    ] as const) {
      const headers = { "x-payment": await shop.payFor(url), ...(asks && { "x-payment-redirect": asks }) };
      const answer = await fetch(url, { headers, redirect: "manual" });
      const addresses = ["location", "x-payment-redirect"].filter((name) => answer.headers.has(name));
      expect([answer.status, addresses, answer.headers.get(reads)]).toEqual([303, [reads], LOCATION]);
      expect(receiptOf(answer).success).toBe(true);
    }
  },
);
