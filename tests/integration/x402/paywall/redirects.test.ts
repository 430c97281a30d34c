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
const addressesOf = ({ headers }: Response) =>
  ["location", "x-payment-redirect"].map((name) => headers.get(name));

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

test.each([undefined, "reveal"])(
  "neither an address nor a cookie is told if settling is refused after the handler (%s)",
  async (asks) => {
    const price = { ...shop.price, paymentFlow: "authorization" } as const;
    const url = await listen(
      express().get("/", paywall(price), (_request, response) =>
        response.cookie("access", "secret").redirect(303, LOCATION),
      ),
    );
    const headers = { "x-payment": await shop.payFor(url), ...(asks && { "x-payment-redirect": asks }) };
    shop.door.treat((path) =>
      path === "/settle"
        ? { change: () => ({ success: false, errorReason: "insufficient_funds", payer: "alice" }) }
        : "pass",
    );
    const answer = await fetch(url, { headers, redirect: "manual" });
    expect([answer.status, ...addressesOf(answer), ...answer.headers.getSetCookie()]).toEqual([
      402,
      null,
      null,
    ]);
  },
);

test.each([201, 503])("only redirects have their address moved, not a %i", async (status) => {
  const web = await serve(
    withPaywall(shop.price, () => new Response("content", { status, headers: { location: LOCATION } })),
  );
  const node = await listen(
    nodePaywall(shop.price, (_request, response) => {
      response.writeHead(status, { location: LOCATION }).end("content");
    }),
  );
  for (const url of [web, node]) {
    const headers = { "x-payment": await shop.payFor(url), "x-payment-redirect": "reveal" };
    expect(addressesOf(await fetch(url, { headers }))).toEqual([LOCATION, null]);
  }
});

test.each([
  ["a form", "a=1", "application/x-www-form-urlencoded", 303],
  ["JSON", "{}", "application/json", 307],
])("Next's redirect() after %s is answered as by Next", async (_, body, type, status) => {
  const digest = `NEXT_REDIRECT;replace;${LOCATION};307;`;
  const url = await serve(
    withPaywall(shop.price, () => Promise.reject(Object.assign(new Error("NEXT_REDIRECT"), { digest }))),
  );
  const post = { method: "POST", body, headers: { "content-type": type } };
  const headers = { ...post.headers, "x-payment": await shop.payFor(url, post) };
  const answer = await fetch(url, { ...post, headers, redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([status, LOCATION]);
});
