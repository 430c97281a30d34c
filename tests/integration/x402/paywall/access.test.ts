import { once } from "node:events";
import { type Context, Hono } from "hono";
import { describe, expect, test } from "vitest";
import { honoPaywall } from "#lib/x402/hono.ts";
import { type WithPaywallOptions, withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import type { AccessOptions } from "#lib/x402/paywall/access-options.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid, offerOf, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop, serve, listen } = await openShop();

/** Proves an account by stating its name. */
const account = (request: Request) => request.headers.get("x-account");
const as = (name: string) => ({ headers: { "x-account": name } });

async function sell(
  access: Partial<AccessOptions<Request>> = {},
  store = createMemoryClaimStore(),
  options: Partial<WithPaywallOptions<Request>> = {},
) {
  let served = 0;
  const GET = withPaywall<Request, object>(
    { ...shop.price, store, access: { for: "30d", account, ...access }, onFault: () => {}, ...options },
    (_request, { payer, txId }) => Response.json({ payer, txId, served: ++served }),
  );
  return serve((request) => GET(request, {}));
}

test("only the payer gets the content again for free, with the old receipt", async () => {
  const url = await sell();
  const before = await shop.balances();
  const { txId } = receiptOf(await askPaid(url, await shop.payFor(url)));
  const again = await fetch(url, as("alice"));
  expect(again.status).toBe(200);
  expect(receiptOf(again)).toMatchObject({ success: true, payer: "alice", txId });
  expect(await again.json()).toEqual({ payer: "alice", txId, served: 2 });
  expect((await fetch(url, as("bob"))).status).toBe(402);
  expect((await fetch(url)).status).toBe(402);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("another address counts as another purchase, unless the seller names the product", async () => {
  const url = await sell();
  await askPaid(url, await shop.payFor(url));
  expect((await fetch(`${url}/other`, as("alice"))).status).toBe(402);
  const series = await sell({ key: "the series" });
  await askPaid(series, await shop.payFor(series));
  expect((await fetch(`${series}/part-2?x=1`, as("alice"))).status).toBe(200);
});

test("a payment that is sent again without a proven account is refused as payment_replayed", async () => {
  const url = await sell();
  const payment = await shop.payFor(url);
  expect((await askPaid(url, payment)).status).toBe(200);
  const copy = await askPaid(url, payment);
  expect(await copy.json()).toMatchObject({ code: "payment_replayed" });
});

test("content that the handler failed to deliver does not count as bought", async () => {
  const GET = withPaywall<Request, object>(
    {
      ...shop.price,
      store: createMemoryClaimStore(),
      access: { for: "30d", account },
      onFault: () => {},
    },
    () => new Response(null, { status: 500 }),
  );
  const url = await serve((request) => GET(request, {}));
  await askPaid(url, await shop.payFor(url));
  expect((await fetch(url, as("alice"))).status).toBe(402);
});

describe("a payer who disconnects before the content ends has bought it", () => {
  const priced = () => ({ ...shop.price, store: createMemoryClaimStore() });

  test.each<[string, (leave: () => void) => (request: Request) => Response | Promise<Response>]>([
    [
      "withPaywall",
      (leave) =>
        withPaywall<Request, object>({ ...priced(), access: { for: "30d", account } }, () => {
          leave();
          return new Response("content");
        }),
    ],
    [
      "honoPaywall",
      (leave) => {
        const app = new Hono();
        const access = { for: "30d", account: (c: Context) => account(c.req.raw) } as const;
        app.get("/", honoPaywall({ ...priced(), access }), (c) => {
          leave();
          return c.text("content");
        });
        return (request) => app.fetch(request);
      },
    ],
  ])("%s", async (_name, adapter) => {
    const leaving = new AbortController();
    const answer = adapter(() => leaving.abort());
    const url = await serve(answer);
    const headers = { "x-payment": await shop.payFor(url) };
    await answer(new Request(url, { headers, signal: leaving.signal }));
    expect(await (await fetch(url, as("alice"))).text()).toBe("content");
    expect((await fetch(url, as("bob"))).status).toBe(402);
  });

  test.each(["while the payment settles", "while the handler works"])("nodePaywall, %s", async (when) => {
    let leave = async () => {};
    const { verify, settle } = shop.facilitator;
    const { facilitatorUrl: _none, ...price } = priced();
    const answer = nodePaywall(
      {
        ...price,
        facilitator: {
          verify,
          async settle(...call) {
            const settled = await settle(...call);
            if (when === "while the payment settles") await leave();
            return settled;
          },
        },
        access: { for: "30d", account: (request) => request.headers["x-account"]?.toString() ?? null },
      },
      async (_request, response) => {
        await leave();
        response.end("content");
      },
    );
    let handled: Promise<void> | undefined;
    const leaving = new AbortController();
    const url = await listen((request, response) => {
      if (request.headers["x-payment"])
        leave = async () => {
          leave = async () => {};
          const closed = once(response, "close");
          leaving.abort();
          await closed;
        };
      handled = answer(request, response);
    });
    const headers = { "x-payment": await shop.payFor(url) };
    await expect(fetch(url, { headers, signal: leaving.signal })).rejects.toThrow("aborted");
    await handled;
    expect(await (await fetch(url, as("alice"))).text()).toBe("content");
  });
});

test("a purchase that can't be recorded is not delivered yet, and the same payment delivers it later", async () => {
  const store = createMemoryClaimStore();
  let isDown = true;
  const url = await sell(
    {},
    {
      ...store,
      async setIfAbsent(key, ...rest) {
        if (isDown && key.startsWith("x402:access:")) throw new Error("down");
        return store.setIfAbsent(key, ...rest);
      },
    },
  );
  const payment = await shop.payFor(url);
  const before = await shop.balances();
  const ask = async () => {
    const response = await fetch(url, { headers: { "x-payment": payment } });
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  expect(await ask()).toEqual([503, "settlement_pending"]);
  await expect.poll(async () => (await shop.balances()).alice).toBe(before.alice - 50);
  expect(await ask()).toEqual([503, "settlement_pending"]);
  isDown = false;
  expect((await askPaid(url, payment)).status).toBe(200);
  expect((await fetch(url, as("alice"))).status).toBe(200);
});

test("a possible owner is not asked to pay again while ownership can't be checked", async () => {
  const store = createMemoryClaimStore();
  const down = async () => Promise.reject(new Error("down"));
  const url = await sell({}, { ...store, get: down });
  const response = await fetch(url, as("alice"));
  expect([response.status, await response.json()]).toMatchObject([503, { code: "degraded" }]);
  const unknown = await sell({ account: down });
  expect((await fetch(unknown, as("alice"))).status).toBe(503);
  expect(await offerOf(await fetch(url))).toMatchObject({ payTo: "shop" });
});

test("an account is charged once when two of its tabs both pay", async () => {
  const url = await sell();
  const before = await shop.balances();
  let first: Response | undefined;
  const pay = shop.payer({
    async fetch(...call) {
      const response = await fetch(...call);
      if (response.status === 402) first = await askPaid(url, await shop.payFor(url), as("alice"));
      return response;
    },
  });
  const second = await pay(url, as("alice"));
  expect([first?.status, second.status]).toEqual([200, 200]);
  expect(receiptOf(second).txId).toBe(first && receiptOf(first).txId);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
  const inAnothers = await askPaid(url, await shop.payFor(url), as("bob"));
  expect([inAnothers.status, (await shop.balances()).alice]).toEqual([200, before.alice - 50]);
});

test("onFault receives each failure of the account function, but not those of a store", async () => {
  const faults: unknown[] = [];
  const broken = new Error("broken");
  const onFault = (error: unknown) => faults.push(error);
  const store = createMemoryClaimStore();
  const fail = async () => Promise.reject(broken);
  let isBroken = false;
  const url = await sell({ account: () => (isBroken ? fail() : null) }, store, { onFault });
  const payment = await shop.payFor(url);
  isBroken = true;
  expect((await fetch(url)).status).toBe(503);
  expect((await fetch(url, { headers: { "x-payment": payment } })).status).toBe(503);
  expect(faults).toEqual([broken, broken]);
  const down = await sell({}, { ...store, get: fail }, { onFault });
  expect([(await fetch(down, as("alice"))).status, faults.length]).toEqual([503, 2]);
});

test.each([undefined, ""])(
  "the account %j counts as signed out, and no purchase is looked up",
  async (nobody) => {
    const store = createMemoryClaimStore();
    const asked: string[] = [];
    const get = (key: string) => {
      asked.push(key);
      return store.get(key);
    };
    const url = await sell({ account: () => nobody as unknown as null }, { ...store, get });
    expect([(await fetch(url)).status, asked]).toEqual([402, []]);
  },
);

test("a purchase on one chain does not count on another, even in the same store", async () => {
  const store = createMemoryClaimStore();
  const url = await sell({ key: "the series" }, store);
  expect((await askPaid(url, await shop.payFor(url))).status).toBe(200);
  const onMainnet = await sell({ key: "the series" }, store, { network: "chain:mainnet" });
  expect((await fetch(onMainnet, as("alice"))).status).toBe(402);
  expect((await fetch(url, as("alice"))).status).toBe(200);
});

test.each<[string, object]>([
  ["access.for", { for: "soon" }],
  ["access.for", { for: "0d" }],
  ["access.key", { key: "" }],
  ["access.account", { account: "alice" }],
])("a wrong %s is refused on creation: %j", async (name, wrong) => {
  await expect(sell(wrong)).rejects.toThrow(name);
});
