import { HTTPFacilitatorClient, x402ResourceServer } from "@x402/core/server";
import type { Network } from "@x402/core/types";
import { paymentMiddleware } from "@x402/express";
import {
  bazaarResourceServerExtension,
  declareDiscoveryExtension,
  withBazaar,
} from "@x402/extensions/bazaar";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFacilitatorHandlers } from "#lib/x402/facilitator/index.ts";
import { createClientScheme, createServerScheme } from "#lib/x402/scheme/index.ts";
import { serveNode, serveWeb, type WebServer } from "../../../harness/serve-web.ts";
import { soon } from "../../../harness/soon.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";
import { wifOf } from "../../../harness/start-shop.ts";

const NETWORK: Network = "chain:sandbox";

let chain: SandboxChain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let door: WebServer;
/** The seller starts after its facilitator. */
const privateHosts: string[] = [];
beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  facilitator = await startFacilitator(chain, { catalogue: { privateHosts } });
  const { verify, settle, supported, resources, search } = createFacilitatorHandlers(facilitator, () => {});
  const handlers: Record<string, (request: Request) => Promise<Response>> = {
    ...{ "/verify": verify, "/settle": settle, "/supported": supported },
    ...{ "/discovery/resources": resources, "/discovery/search": search },
  };
  door = await serveWeb(
    async (request) => (await handlers[new URL(request.url).pathname]?.(request)) ?? Response.json({}),
  );
});
afterAll(async () => {
  await door.close();
  await facilitator.close();
  await chain.close();
});

test("the official catalogue client finds what an official server sold to an official client", async () => {
  const official = new HTTPFacilitatorClient({ url: door.url });
  const seller = new x402ResourceServer(official).register(NETWORK, createServerScheme());
  seller.registerExtension(bazaarResourceServerExtension);
  const accepts = { scheme: "exact", network: NETWORK, payTo: "shop", price: "0.050 HBD" };
  const extensions = declareDiscoveryExtension({
    input: { city: "Madrid" },
    inputSchema: { properties: { city: { type: "string" } }, required: ["city"] },
    output: { example: { celsius: 21 } },
  });
  const routes = {
    "GET /weather": {
      ...{ accepts, description: "The weather of a city", extensions },
      ...{ serviceName: "Sky", tags: ["weather"] },
    },
  };
  const app = express()
    .use(paymentMiddleware(routes, seller))
    .get("/weather", (_request, response) => void response.json({ celsius: 21 }));
  const server = await serveNode(app);
  privateHosts.push(new URL(server.url).host);
  const purse = { account: "alice", activeKey: wifOf("alice"), nodes: chain.urls, chainId: chain.chainId };
  const client = new x402Client().register(NETWORK, createClientScheme(purse));
  const pay = wrapFetchWithPayment(fetch, client);
  expect((await pay(`${server.url}/weather?city=Rome`)).status).toBe(200);
  const { bazaar } = withBazaar(official).extensions;
  const { items } = await soon(async () => {
    const page = await bazaar.listResources({ type: "http", payTo: "shop" });
    expect(page.items).toHaveLength(1);
    return page;
  });
  expect(items[0]).toMatchObject({
    ...{ resource: `${server.url}/weather`, type: "http", description: "The weather of a city" },
    ...{ serviceName: "Sky", tags: ["weather"] },
    accepts: [{ amount: "50", asset: "HBD", payTo: "shop" }],
  });
  expect(await bazaar.search({ query: "weather of the city", limit: 1 })).toMatchObject({
    ...{ resources: [{ resource: `${server.url}/weather` }], partialResults: false },
    pagination: { limit: 1, cursor: null },
  });
  await server.close();
});
