import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createRequire } from "node:module";
import { getRequestListener } from "@hono/node-server";
import { x402Client as AxiosClient, wrapAxiosWithPayment } from "@x402/axios";
import { HTTPFacilitatorClient, x402ResourceServer } from "@x402/core/server";
import type { Network } from "@x402/core/types";
import { paymentMiddleware as officialExpress } from "@x402/express";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { paymentMiddleware as officialHono } from "@x402/hono";
import axios from "axios";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { NextRequest, NextResponse } from "next/server.js";
import { expect, test } from "vitest";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { createClientScheme, createServerScheme } from "#lib/x402/scheme/index.ts";
import { openShop } from "../../harness/open-shop.ts";
import { payAsHiveX402 } from "../../harness/pay-as-hive-x402.ts";
import { serveFastify } from "../../harness/serve-web.ts";

const { shop, keep, ...sockets } = await openShop();
const NETWORK: Network = "chain:sandbox";
const content = { report: "paid" };

/** The versions of the payments that a test's server has received, by their headers. */
const received: string[] = [];
const note = (hasHeader: (name: string) => boolean) => {
  if (hasHeader("payment-signature")) received.push("2");
  if (hasHeader("x-payment")) received.push("1");
};
const serve = (answer: (request: Request) => Response | Promise<Response>) =>
  sockets.serve((request) => {
    note((name) => request.headers.has(name));
    return answer(request);
  });
const listen = (listener: RequestListener) =>
  sockets.listen((request, response) => {
    note((name) => name in request.headers);
    listener(request, response);
  });

/** The answer that a client got. */
type Paid = { status: number; body: unknown };

const clients: Record<string, (url: string) => Promise<Paid>> = {
  "createPayingFetch()": async (url) => read(await shop.payer()(url)),
  "@x402/fetch": async (url) => {
    const client = new x402Client().register(NETWORK, createClientScheme(shop.purse()));
    return read(await wrapFetchWithPayment(fetch, client)(url));
  },
  "@x402/axios": async (url) => {
    const client = new AxiosClient().register(NETWORK, createClientScheme(shop.purse()) as never);
    const { status, data } = await wrapAxiosWithPayment(axios.create(), client).get(url);
    return { status, body: data };
  },
  "hive-x402": async (url) => read(await payAsHiveX402(url, shop.purse())),
};

const read = async (response: Response): Promise<Paid> => ({
  status: response.status,
  body: await response.json(),
});

const officialSeller = () =>
  new x402ResourceServer(new HTTPFacilitatorClient({ url: shop.door.url })).register(
    NETWORK,
    createServerScheme(),
  );
const accepts = { scheme: "exact", network: NETWORK, payTo: "shop", price: "0.050 HBD" };
const routes = { "GET /report": { accepts, description: "a report" } };

/**
 * The package @x402/next, loaded through `require`: its ES modules import Next's in a way that only bundlers
 * resolve.
 */
const next = createRequire(import.meta.url)("@x402/next") as typeof import("@x402/next");

/** Functions that start the servers, each of which sells the content at /report. */
const servers: Record<string, () => Promise<string>> = {
  "hivegate/paywall": () =>
    listen(
      express().get("/report", paywall(shop.price), (_request, response) => void response.json(content)),
    ),
  "hivegate/next": () => {
    const GET = withPaywall(shop.price, () => Response.json(content));
    return serve((request) => GET(request));
  },
  "hivegate/hono": () => {
    const app = new Hono().get("/report", honoPaywall(shop.price), (c) => c.json(content));
    return listen(getRequestListener(app.fetch));
  },
  "hivegate/fastify": () => {
    const app = fastify();
    app.addHook("onRequest", async ({ headers }) => note((name) => name in headers));
    app.get("/report", { preHandler: fastifyPaywall(shop.price) }, async () => content);
    return keep(serveFastify(app));
  },
  "hivegate/node": () =>
    listen(
      nodePaywall(shop.price, (_request, response) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(content));
      }),
    ),
  "@x402/express": () =>
    listen(
      express()
        .use(officialExpress(routes, officialSeller()))
        .get("/report", (_request, response) => void response.json(content)),
    ),
  "@x402/hono": () => {
    const app = new Hono().use(officialHono(routes, officialSeller())).get("/report", (c) => c.json(content));
    return listen(getRequestListener(app.fetch));
  },
  "@x402/next": () => {
    const GET = next.withX402(async () => NextResponse.json(content), routes, officialSeller() as never);
    return serve((request) => GET(new NextRequest(request)));
  },
};

/** The table of docs/official-packages.md: client, server and the version that the client pays in, or `-` for none. */
const cells = (() => {
  const [, section = ""] = readFileSync("docs/official-packages.md", "utf8").split("## Which pays which\n");
  const rows = section
    .slice(0, section.indexOf("\n#"))
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
  const [[, ...names] = [], , ...body] = rows;
  return body.flatMap(([client = "", ...versions]) =>
    versions.map((version, index) => ({ client, server: names[index] ?? "", version })),
  );
})();

test("the table of docs/payments.md names every pair of client and server", () => {
  const all = Object.keys(clients).flatMap((client) =>
    Object.keys(servers).map((server) => `${client} at ${server}`),
  );
  expect(cells.map(({ client, server }) => `${client} at ${server}`).sort()).toEqual(all.sort());
});

test.each(cells)(
  "the table of docs/payments.md is right about $client at $server: $version",
  async ({ client, server, version }) => {
    const url = `${await servers[server]?.()}/report`;
    received.length = 0;
    const before = await shop.balances();
    const paying = clients[client]?.(url);
    if (version === "-") {
      await expect(paying).rejects.toThrow();
      expect([received, (await shop.balances()).alice]).toEqual([[], before.alice]);
      return;
    }
    expect(await paying).toEqual({ status: 200, body: content });
    expect([received, (await shop.balances()).alice]).toEqual([[version], before.alice - 50]);
  },
);
