import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createPayingFetch } from "#lib/x402/client/index.ts";
import type { Discoverable } from "#lib/x402/discovery/describe-resource.ts";
import { createFacilitatorHandlers } from "#lib/x402/facilitator/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { serveWeb, type WebServer } from "../../../harness/serve-web.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { soon } from "../../../harness/soon.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";
import { wifOf } from "../../../harness/start-shop.ts";

type Facilitator = Awaited<ReturnType<typeof startFacilitator>>;

let chain: SandboxChain;
const open: Array<{ close(): Promise<void> }> = [];
beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
});
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
  privateHosts.length = 0;
});
afterAll(() => chain.close());

const keep = <T extends { close(): Promise<void> }>(part: T): T => {
  open.push(part);
  return part;
};
/** The sellers of the current test, which facilitators may ask. Sellers start after their facilitator. */
const privateHosts: string[] = [];
const start = async (): Promise<Facilitator> =>
  keep(await startFacilitator(chain, { catalogue: { privateHosts } }));
const serve = async (answer: (request: Request) => Response | Promise<Response>): Promise<WebServer> => {
  const server = keep(await serveWeb(async (request) => answer(request)));
  privateHosts.push(new URL(server.url).host);
  return server;
};

const weather: Discoverable = {
  input: z.object({ city: z.string() }),
  example: { city: "Madrid" },
  output: { shape: z.object({ celsius: z.number() }), example: { celsius: 21 } },
};

const sell = async (
  facilitator: Facilitator,
  discoverable: Discoverable | null = weather,
  payee = "shop",
) => {
  const paid = withPaywall(
    {
      ...{ facilitator, chainId: chain.chainId, amount: "0.050 HBD", receivingAccount: payee },
      description: "The weather of a city",
      mimeType: "application/json",
      ...(discoverable && { discoverable }),
    },
    () => Response.json({ celsius: 21 }),
  );
  return serve((request) => paid(request));
};
const buy = (url: string) =>
  createPayingFetch({
    ...{ account: "alice", activeKey: wifOf("alice"), nodes: chain.urls, chainId: chain.chainId },
    maxPayment: "1.000 HBD",
  })(url);

/** Starts a seller's server that answers every request with `offer`, and counts the requests. */
const serveOffer = async (offer: (url: string) => { status: number; body: object }) => {
  let asked = 0;
  const server = await serve((request) => {
    asked++;
    const { status, body } = offer(new URL(request.url).origin);
    return Response.json(body, { status });
  });
  return Object.assign(server, { asked: () => asked });
};

const declaration = {
  info: { input: { type: "http", method: "GET", queryParams: { city: "Rome" } } },
  schema: { type: "object", properties: { input: { type: "object" } }, required: ["input"] },
};
/** Settles a payment that carries `bazaar` as its sender's description of `resource`. */
const settleFor = async (
  facilitator: Facilitator,
  resource: string,
  { bazaar = declaration as unknown, ...payment }: { bazaar?: unknown; from?: string; to?: string } = {},
) => {
  const { request } = await signPayment(chain, payment);
  const { paymentPayload, paymentRequirements } = request;
  const settled = await facilitator.settle({
    ...request,
    paymentPayload: { ...paymentPayload, extensions: { bazaar } },
    paymentRequirements: { ...paymentRequirements, resource },
  });
  expect(settled.success).toBe(true);
  return request;
};
const offerFor = (payTo: string, bazaar: unknown = declaration) => ({
  status: 402,
  body: {
    x402Version: 2,
    resource: { url: "http://other.example/", description: "The seller's own words" },
    accepts: [
      {
        ...{ scheme: "exact", network: "chain:sandbox", amount: "50", asset: "HBD", payTo },
        maxTimeoutSeconds: 60,
      },
    ],
    extensions: { bazaar },
  },
});

describe("the catalogue of a facilitator", () => {
  test("lists a discoverable resource only once somebody has paid for it", async () => {
    const facilitator = await start();
    const { url } = await sell(facilitator);
    expect((await fetch(`${url}/weather`)).status).toBe(402);
    expect((await facilitator.listResources()).items).toEqual([]);
    expect((await buy(`${url}/weather?city=Rome`)).status).toBe(200);
    const page = await soon(async () => {
      const found = await facilitator.listResources();
      expect(found.items).toHaveLength(1);
      return found;
    });
    expect(page).toMatchObject({ x402Version: 2, pagination: { limit: 20, offset: 0, total: 1 } });
    const [listing] = page.items;
    expect(listing).toMatchObject({
      ...{ resource: `${url}/weather`, type: "http", x402Version: 2, description: "The weather of a city" },
      accepts: [{ scheme: "exact", amount: "50", asset: "HBD", payTo: "shop" }],
      extensions: {
        bazaar: {
          info: {
            input: { type: "http", method: "GET", queryParams: { city: "Madrid" } },
            output: { type: "json", example: { celsius: 21 } },
          },
        },
      },
    });
    expect(new Date(listing?.lastUpdated ?? "").toISOString()).toBe(listing?.lastUpdated);
    expect(facilitator.supported().extensions).toEqual(["bazaar"]);
  });

  test("lists a seller's service name, tags and icon even if only the body of the 402 has room for them", async () => {
    const facilitator = await start();
    const service = { serviceName: "Sky", tags: ["air"], iconUrl: `https://sky.example/${"i".repeat(2000)}` };
    const { url } = await sell(facilitator, { ...weather, ...service });
    await buy(`${url}/weather`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    expect((await facilitator.listResources()).items[0]).toMatchObject(service);
  });

  test("lists no resource of a seller that has not opted in", async () => {
    const facilitator = await start();
    const silent = await sell(facilitator, null);
    const listed = await sell(facilitator);
    await buy(`${silent.url}/weather`);
    await settleFor(facilitator, `${silent.url}/weather`);
    await buy(`${listed.url}/weather`);
    await soon(async () => expect((await facilitator.listResources()).items).not.toEqual([]));
    const { items } = await facilitator.listResources();
    expect(items.map(({ resource }) => resource)).toEqual([`${listed.url}/weather`]);
  });

  test("describes a resource by its seller's own answer, not by what came with the payment", async () => {
    const facilitator = await start();
    const seller = await serveOffer(() => offerFor("shop"));
    const lie = {
      ...declaration,
      info: { input: { ...declaration.info.input, queryParams: { city: "a lie" } } },
    };
    await settleFor(facilitator, `${seller.url}/weather?secret=1#part`, { bazaar: lie });
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    const { items } = await facilitator.listResources();
    expect(items[0]).toMatchObject({
      resource: `${seller.url}/weather`,
      description: "The seller's own words",
      extensions: { bazaar: declaration },
    });
    expect(JSON.stringify(items)).not.toMatch(/a lie|secret|other\.example/);
  });

  test("lists no resource whose price is negative", async () => {
    const facilitator = await start();
    const amounting = (amount: string) => {
      const { status, body } = offerFor("shop");
      return { status, body: { ...body, accepts: body.accepts.map((offer) => ({ ...offer, amount })) } };
    };
    const faulty = await serveOffer(() => amounting("-50"));
    const right = await serveOffer(() => amounting("0.050 HBD"));
    await settleFor(facilitator, `${faulty.url}/weather`);
    await settleFor(facilitator, `${right.url}/weather`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    await soon(() => expect(faulty.asked()).toBe(1));
    const { items } = await facilitator.listResources();
    expect(items.map(({ resource }) => resource)).toEqual([`${right.url}/weather`]);
  });

  test("lists no resource for a payment to an account other than its seller's", async () => {
    const facilitator = await start();
    const seller = await serveOffer(() => offerFor("shop"));
    const own = await serveOffer(() => offerFor("bob"));
    await settleFor(facilitator, `${seller.url}/weather`, { to: "bob" });
    await settleFor(facilitator, `${own.url}/weather`, { to: "bob" });
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    await soon(() => expect(seller.asked()).toBe(1));
    const { items } = await facilitator.listResources();
    expect(items.map(({ resource }) => resource)).toEqual([`${own.url}/weather`]);
  });

  test("lists a resource once, and asks its seller once, for several payments", async () => {
    const facilitator = await start();
    const seller = await serveOffer(() => offerFor("shop"));
    await Promise.all([1, 2, 3].map(() => settleFor(facilitator, `${seller.url}/weather`)));
    const again = await settleFor(facilitator, `${seller.url}/weather`);
    // The same payment once more.
    expect((await facilitator.settle(again)).success).toBe(false);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    expect(seller.asked()).toBe(1);
  });

  test("asks for a payment once, even if it is settled again under its key for another address", async () => {
    const facilitator = await start();
    const seller = await serveOffer(() => offerFor("shop"));
    const { request } = await signPayment(chain);
    const { scheme, network, payload } = request.paymentPayload;
    const offer = { scheme, network, payTo: "shop", amount: "50", asset: "HBD", maxTimeoutSeconds: 60 };
    const settleAs = (path: string) =>
      facilitator.settle(
        {
          x402Version: 2,
          paymentPayload: {
            ...{ x402Version: 2, accepted: offer, payload, extensions: { bazaar: declaration } },
            resource: { url: `${seller.url}/${path}` },
          },
          paymentRequirements: offer,
        },
        { idempotencyKey: "one-key-for-this-payment" },
      );
    expect((await settleAs("one")).success).toBe(true);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    expect((await settleAs("two")).success).toBe(true);
    await settleFor(facilitator, `${seller.url}/three`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(2));
    const { items } = await facilitator.listResources();
    expect(items.map(({ resource }) => resource)).toEqual([`${seller.url}/three`, `${seller.url}/one`]);
  });

  test("asks a host ten times a minute at most, and others meanwhile", async () => {
    const facilitator = await start();
    const flooded = await serveOffer(() => offerFor("shop"));
    const other = await serveOffer(() => offerFor("shop"));
    for (let path = 0; path < 12; path++) await settleFor(facilitator, `${flooded.url}/${path}`);
    await settleFor(facilitator, `${other.url}/weather`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(11));
    expect(flooded.asked()).toBe(10);
  });

  test.each([
    [
      "refers to another document in a part that nothing uses",
      { ...declaration.schema, $defs: { unused: { $ref: "http://127.0.0.1:9/schema.json" } } },
    ],
    [
      "refers to another document deep inside",
      { ...declaration.schema, properties: { input: { anyOf: [{ $ref: "file:///etc/passwd" }] } } },
    ],
    ["rejects its description", { ...declaration.schema, required: ["input", "output"] }],
    ["refers to itself endlessly", { ...declaration.schema, allOf: [{ $ref: "#" }] }],
    ["is larger than 8 KiB", { ...declaration.schema, description: "a".repeat(8192) }],
  ])("lists no resource whose schema %s", async (_, schema) => {
    const facilitator = await start();
    const faulty = await serveOffer(() => offerFor("shop", { ...declaration, schema }));
    const right = await serveOffer(() => offerFor("shop"));
    // The payment brings the bad schema in the first case, the seller's answer in the second.
    await settleFor(facilitator, `${faulty.url}/one`, { bazaar: { ...declaration, schema } });
    await settleFor(facilitator, `${faulty.url}/two`);
    await settleFor(facilitator, `${right.url}/three`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    await soon(() => expect(faulty.asked()).toBe(1));
    const { items } = await facilitator.listResources();
    expect(items[0]?.resource).toBe(`${right.url}/three`);
  });

  test.each([
    ["in many ways", { allOf: Array.from({ length: 500 }, () => ({})) }],
    ["against many values", { enum: Array.from({ length: 500 }, () => 0) }],
  ])("lists no resource whose schema would check each of many values %s", async (_, items) => {
    const facilitator = await start();
    const body = Array.from({ length: 500 }, () => 0);
    const heavy = {
      info: { input: { type: "http", method: "POST", bodyType: "json", body } },
      schema: { properties: { input: { properties: { body: { items } } } } },
    };
    const light = { ...heavy, schema: { properties: { input: { properties: { body: {} } } } } };
    const faulty = await serveOffer(() => offerFor("shop", heavy));
    const right = await serveOffer(() => offerFor("shop", light));
    await settleFor(facilitator, `${faulty.url}/heavy`, { bazaar: light });
    await settleFor(facilitator, `${right.url}/light`, { bazaar: light });
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    await soon(() => expect(faulty.asked()).toBe(1));
    const { items: found } = await facilitator.listResources();
    expect(found.map(({ resource }) => resource)).toEqual([`${right.url}/light`]);
  });

  test("asks by GET, whatever method a payment names", async () => {
    const facilitator = await start();
    const methods: string[] = [];
    const bazaarOf = (method: string) => ({
      info: {
        input: { type: "http", method, ...(method !== "DELETE" && { bodyType: "json", body: {} }) },
      },
      schema: {},
    });
    const seller = await serve(({ method, url }) => {
      methods.push(method);
      const { status, body } = offerFor("shop", bazaarOf(new URL(url).pathname.slice(1)));
      return Response.json(body, { status });
    });
    const named = ["DELETE", "PATCH", "POST", "PUT"];
    for (const method of named)
      await settleFor(facilitator, `${seller.url}/${method}`, { bazaar: bazaarOf(method) });
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(4));
    expect(methods).toEqual(["GET", "GET", "GET", "GET"]);
    const { items } = await facilitator.listResources();
    expect(items.map(({ extensions }) => extensions.bazaar.info.input.method).sort()).toEqual(named);
  });

  test("asks no server at a private address that was not allowed", async () => {
    const facilitator = await startFacilitator(chain, { catalogue: true });
    const inside = await serveOffer(() => offerFor("shop"));
    await settleFor(facilitator, `${inside.url}/weather`);
    await facilitator.close();
    expect(inside.asked()).toBe(0);
  });

  test("asks a private server only on the port that was allowed", async () => {
    const facilitator = await start();
    let asked = 0;
    const other = await serveWeb(() => {
      asked++;
      return Response.json({});
    });
    keep(other);
    const allowed = await serveOffer(() => offerFor("shop"));
    await settleFor(facilitator, `${other.url}/weather`);
    await settleFor(facilitator, `${allowed.url}/weather`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    expect(asked).toBe(0);
  });

  test("rejects a private host without a port", async () => {
    const catalogue = { privateHosts: ["127.0.0.1"] };
    await expect(startFacilitator(chain, { catalogue })).rejects.toThrow(/catalogue.privateHosts/);
  });

  test("follows no redirect to another address", async () => {
    const facilitator = await start();
    const seller = await serveOffer(() => offerFor("shop"));
    const detour = await serve(() => Response.redirect(`${seller.url}/weather`, 302));
    const right = await serveOffer(() => offerFor("shop"));
    await settleFor(facilitator, `${detour.url}/weather`);
    await settleFor(facilitator, `${right.url}/weather`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    expect(seller.asked()).toBe(0);
  });

  test("removes a resource if its server answers 410 after a later payment", async () => {
    const store = (await start()).store;
    const open = () => startFacilitator(chain, { store, catalogue: { privateHosts } }).then(keep);
    let isGone = false;
    const seller = await serveOffer(() => (isGone ? { status: 410, body: {} } : offerFor("shop")));
    const before = await open();
    await settleFor(before, `${seller.url}/weather`);
    await soon(async () => expect((await before.listResources()).items).toHaveLength(1));
    isGone = true;
    const after = await open();
    expect((await after.listResources()).items).toHaveLength(1);
    await settleFor(after, `${seller.url}/weather`);
    await soon(async () => expect((await after.listResources()).items).toEqual([]));
  });

  test("lists all addresses that fit a template once, under the template", async () => {
    const facilitator = await start();
    const bazaar = { ...declaration, routeTemplate: "/users/:id" };
    const seller = await serveOffer(() => offerFor("shop", bazaar));
    await settleFor(facilitator, `${seller.url}/users/1`, { bazaar });
    await settleFor(facilitator, `${seller.url}/users/2`, { bazaar });
    await settleFor(facilitator, `${seller.url}/about`, { bazaar });
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(2));
    const { items } = await facilitator.listResources();
    expect(items.map(({ resource }) => resource).sort()).toEqual([
      `${seller.url}/about`,
      `${seller.url}/users/:id`,
    ]);
  });
});

describe("requests to the catalogue", () => {
  const listTwo = async () => {
    const facilitator = await start();
    const handlers = createFacilitatorHandlers(facilitator, () => {});
    const read = async (path: string) => {
      const request = new Request(`http://facilitator.example${path}`);
      const response = await (path.startsWith("/discovery/search")
        ? handlers.search(request)
        : handlers.resources(request));
      return { status: response.status, body: await response.json() };
    };
    const rain = await serveOffer(() => offerFor("shop"));
    const other = await serveOffer(() => ({
      status: 402,
      body: { ...offerFor("bob").body, resource: { description: "Chess puzzles", tags: ["game", "Game"] } },
    }));
    await settleFor(facilitator, `${rain.url}/weather`);
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(1));
    await settleFor(facilitator, `${other.url}/puzzles`, { to: "bob" });
    await soon(async () => expect((await facilitator.listResources()).items).toHaveLength(2));
    return { read, weather: `${rain.url}/weather`, puzzles: `${other.url}/puzzles` };
  };
  type Found = { resource: string };

  test("filter and page the list, the latest first", async () => {
    const { read, weather, puzzles } = await listTwo();
    const list = async (query: string) => {
      const { body } = await read(`/discovery/resources?${query}`);
      return [body.items.map(({ resource }: Found) => resource), body.pagination];
    };
    expect(await list("")).toEqual([[puzzles, weather], { limit: 20, offset: 0, total: 2 }]);
    expect(await list("limit=1&offset=1")).toEqual([[weather], { limit: 1, offset: 1, total: 2 }]);
    expect((await list("payTo=bob"))[0]).toEqual([puzzles]);
    expect((await list("type=mcp"))[0]).toEqual([]);
    expect((await list("scheme=upto"))[0]).toEqual([]);
    expect((await list("network=chain%3Asandbox&extensions=bazaar&scheme=exact&type=http"))[0]).toHaveLength(
      2,
    );
    expect((await list("network=eip155%3A8453"))[0]).toEqual([]);
    expect((await list("extensions=other"))[0]).toEqual([]);
  });

  test("find resources by words in any order, the best match first", async () => {
    const { read, weather, puzzles } = await listTwo();
    const search = async (query: string) => {
      const { body } = await read(`/discovery/search?query=${encodeURIComponent(query)}`);
      return body.resources.map(({ resource }: Found) => resource);
    };
    expect(await search("puzzles about CHESS")).toEqual([puzzles]);
    expect(await search("weather and words, not puzzles")).toEqual([weather, puzzles]);
    expect(await search("nothing")).toEqual([]);
    const { body } = await read("/discovery/search?query=game&limit=1");
    expect(body).toMatchObject({ x402Version: 2, partialResults: false, resources: [{ tags: ["game"] }] });
    expect(body.pagination).toEqual({ limit: 1, cursor: null });
  });

  test("continue a search from its cursor", async () => {
    const { read, weather, puzzles } = await listTwo();
    const path = "/discovery/search?query=weather%20puzzles&limit=1";
    const first = (await read(path)).body;
    expect(first).toMatchObject({ partialResults: true, pagination: { limit: 1 } });
    const last = (await read(`${path}&cursor=${first.pagination.cursor}`)).body;
    expect(last).toMatchObject({ partialResults: false, pagination: { limit: 1, cursor: null } });
    const found = [first, last].flatMap(({ resources }) => resources as Found[]);
    expect(found.map(({ resource }) => resource).sort()).toEqual([weather, puzzles].sort());
  });

  test.each(["/discovery/resources?limit=0", "/discovery/resources?limit=101", "/discovery/search"])(
    "are refused with 400 for %s",
    async (path) => {
      const handlers = createFacilitatorHandlers(await start(), () => {});
      const handler = path.startsWith("/discovery/search") ? handlers.search : handlers.resources;
      const response = await handler(new Request(`http://facilitator.example${path}`));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "invalid_request" });
    },
  );
});
