import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SandboxInfo } from "../../../lib/config.ts";
import { createPayingFetch } from "../../../lib/x402/client/index.ts";
import { decodeHeader } from "../../harness/ask-paid.ts";
import { readChecked } from "../../harness/check-answer.ts";
import { soon } from "../../harness/soon.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { wifOf } from "../../harness/start-shop.ts";

let chain: SandboxChain;
let gateway: Gateway;
beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  const { url, chainId } = chain;
  const sandbox: SandboxInfo = { accounts: [], chat: null, chain: { url, chainId } };
  const settings = { HIVE_NODES: url, HIVE_CHAIN_ID: chainId, X402_NETWORK: "chain:sandbox" };
  gateway = await startGateway({ settings, sandbox });
});
afterAll(async () => {
  await gateway.close();
  await chain.close();
});

type Page = { items: Array<{ resource: string; lastUpdated: string }>; resources: Page["items"] };
const read = async (path: string) => (await readChecked("GET", await fetch(gateway.url + path))) as Page;

describe("GET /api/x402/discovery", () => {
  test("lists an article of this server after its first sale, and finds it by its title", async () => {
    const path = "/api/demo/articles/the-answer-nobody-used";
    expect((await read("/api/x402/discovery/resources")).items).toEqual([]);
    const pay = createPayingFetch({
      ...{ account: "alice", activeKey: wifOf("alice"), nodes: [chain.url], chainId: chain.chainId },
      maxPayment: "1.000 HBD",
    });
    expect((await pay(gateway.url + path)).status).toBe(200);
    const items = await soon(async () => {
      const page = await read("/api/x402/discovery/resources?payTo=shop&type=http&limit=1");
      expect(page.items).toHaveLength(1);
      return page.items;
    });
    expect(items[0]).toMatchObject({
      resource: gateway.url + path,
      description: "The answer nobody used",
      accepts: [{ amount: "50", asset: "HBD", payTo: "shop" }],
      extensions: { bazaar: { info: { input: { type: "http", method: "GET" }, output: { type: "json" } } } },
    });
    const { resources } = await read("/api/x402/discovery/search?query=nobody%20answer");
    expect(resources).toEqual(items);
    expect((await read("/api/x402/discovery/search?query=weather")).resources).toEqual([]);
  });

  test.each(["resources?limit=0", "resources?offset=x", "search", "search?query="])(
    "answers 400 to %s",
    async (path) => {
      const response = await fetch(`${gateway.url}/api/x402/discovery/${path}`);
      expect(response.status).toBe(400);
      expect(await readChecked("GET", response)).toMatchObject({ code: "invalid_request" });
    },
  );
});

describe("GET /.well-known/x402", () => {
  test("lists addresses whose 402 has the same description in its header and in its body", async () => {
    const response = await fetch(`${gateway.url}/.well-known/x402`);
    const { version, resources } = (await readChecked("GET", response)) as {
      version: number;
      resources: string[];
    };
    expect(version).toBe(1);
    expect(resources.length).toBeGreaterThanOrEqual(3);
    for (const resource of resources) {
      const offer = await fetch(gateway.url + new URL(resource).pathname);
      expect(offer.status).toBe(402);
      const { bazaar } = decodeHeader<{ extensions: { bazaar: object } }>(
        offer,
        "payment-required",
      ).extensions;
      expect(bazaar).toMatchObject({
        ...{ info: { input: { type: "http", method: "GET" } }, schema: { type: "object" } },
      });
      expect(await offer.json()).toMatchObject({ extensions: { bazaar } });
    }
  });
});

describe("GET /api/openapi.json", () => {
  test("names the price of every operation that answers 402", async () => {
    const document = await (await fetch(`${gateway.url}/api/openapi.json`)).json();
    type Described = { responses: Record<string, unknown>; "x-payment-info"?: unknown };
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Described>).map(
        ([method, described]) => [`${method} ${path}`, described] as const,
      ),
    );
    const paid = operations.filter(([, { responses }]) => "402" in responses);
    expect(Object.fromEntries(paid.map(([name, described]) => [name, described["x-payment-info"]]))).toEqual({
      "get /api/demo/articles/{slug}": {
        price: { mode: "fixed", currency: "HBD", amount: "0.050" },
        protocols: [{ x402: {} }],
      },
      "post /api/demo/tips": {
        price: { mode: "dynamic", currency: "HBD", min: "0.001", max: "100.000" },
        protocols: [{ x402: {} }],
      },
    });
    expect(operations.filter(([, described]) => described["x-payment-info"])).toHaveLength(paid.length);
  });
});
