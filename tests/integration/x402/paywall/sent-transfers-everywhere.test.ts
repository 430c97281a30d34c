import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { z } from "zod";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { paidTool } from "#lib/x402/mcp/index.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import type { TransferOffer } from "#lib/x402/types.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { presentClaim, sendTransfer, transferOfferOf } from "../../../harness/send-transfer.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep, serve, listen } = await openShop();

const terms = { ...shop.price, transfers: true, secret: "s".repeat(32), store: createMemoryStore() };
type Paid = { payer?: string; txId?: string };

const servers: Record<string, () => Promise<string>> = {
  Express: () =>
    listen(
      express().get("/", paywall(terms), ({ payer, txId }: Paid, response: express.Response) => {
        response.json({ payer, txId });
      }),
    ),
  Fastify: () => {
    const app = fastify({ forceCloseConnections: true });
    app.get("/", { preHandler: fastifyPaywall(terms) }, async ({ payer, txId }) => ({ payer, txId }));
    return keep(serveFastify(app));
  },
  Hono: () => {
    const app = new Hono().get("/", honoPaywall(terms), (c) =>
      c.json({ payer: c.get("payer"), txId: c.get("txId") }),
    );
    return serve((request) => app.fetch(request));
  },
  "plain Node": () =>
    listen(nodePaywall(terms, (_request, response, paid) => void response.end(JSON.stringify(paid)))),
};

test.each(Object.keys(servers))("a claim opens a page of %s, with payer and transaction", async (name) => {
  const url = await (servers[name] as () => Promise<string>)();
  const offer = await transferOfferOf(await fetch(url));
  const txId = await sendTransfer(shop.chain, { from: "bob", memo: offer.extra.memo });
  await expect
    .poll(async () => (await fetch(url, { headers: presentClaim(offer) })).json(), { timeout: 60_000 })
    .toEqual({ payer: "bob", txId });
});

test("a claim opens a tool of an MCP server, with payer and transaction", async () => {
  const tool = paidTool<[unknown, unknown], object>({ ...terms, tool: "forecast" }, async (...given) => ({
    structuredContent: given[2],
  }));
  const call = (payment?: object) => tool({}, { _meta: { "x402/payment": payment } });
  const Priced = z.object({ structuredContent: z.object({ accepts: z.array(z.unknown()) }) });
  const [, accepted] = Priced.parse(await call()).structuredContent.accepts as [unknown, TransferOffer];
  const { memo, claim } = accepted.extra;
  const txId = await sendTransfer(shop.chain, { from: "bob", memo });
  const payment = { x402Version: 2, accepted, payload: { type: "memo", claim } };
  await expect
    .poll(() => call(payment), { timeout: 60_000 })
    .toMatchObject({ structuredContent: { payer: "bob", txId } });
});
