import type { ServerResponse } from "node:http";
import { type Context, Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PaywallOptions, paywall } from "#lib/x402/express.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid, offerOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveNode } from "../../../harness/serve-web.ts";

const { shop, serve } = await openShop();

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  // Node reports an unhandled rejection after the microtasks of a turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

type Options = Partial<PaywallOptions<never>>;

/** The same paid resource behind each adapter. A rejection of withPaywall becomes the status 599. */
const adapters: Array<[string, (options: Options) => Promise<{ url: string; close?: () => Promise<void> }>]> =
  [
    [
      "withPaywall",
      async (options) => {
        const given = { ...shop.price, onFault: () => {}, ...options } as PaywallOptions<Request>;
        const GET = withPaywall(given, () => new Response("content"));
        return {
          url: await serve((request) => GET(request).catch(() => new Response(null, { status: 599 }))),
        };
      },
    ],
    [
      "honoPaywall",
      async (options) => {
        const app = new Hono();
        app.onError((_error, c) => c.json({ code: "internal" }, 500));
        app.get("*", honoPaywall({ ...shop.price, ...options } as PaywallOptions<Context>), (c) =>
          c.text("content"),
        );
        return { url: await serve((request) => app.fetch(request)) };
      },
    ],
    [
      "paywall",
      async (options) => {
        const guard = paywall({ ...shop.price, ...options } as PaywallOptions);
        return serveNode((request, response) =>
          guard(request, response, (error) => {
            response.statusCode = error === undefined ? 200 : 500;
            response.end(error === undefined ? "content" : JSON.stringify({ code: "internal" }));
          }),
        );
      },
    ],
  ];

const broken = () => {
  throw new Error("secret detail");
};
const parts: Array<[string, Options, number]> = [
  ["a price function that throws", { amount: broken }, 500],
  ["a price function that returns no price", { amount: () => "free" }, 500],
  ["an account function that rejects", { receivingAccount: () => Promise.reject(new Error("x")) }, 500],
  ["an account function that returns no account", { receivingAccount: () => "No one" }, 500],
];
const whenPaid: Array<[string, Options, number]> = [
  ["a facilitator that throws synchronously", { facilitator: { verify: broken, settle: broken } }, 503],
  [
    "a facilitator that rejects with undefined",
    { facilitator: { verify: () => Promise.reject(undefined), settle: broken } },
    503,
  ],
  ["a store that throws synchronously", { store: { ...createMemoryClaimStore(), get: broken } }, 503],
  [
    "a store that holds something other than a claim",
    { store: { ...createMemoryClaimStore(), get: async () => "{" } },
    503,
  ],
];

describe.each(adapters)("%s", (_adapter, open) => {
  test.each(parts)("returns 500 for %s, without an unhandled rejection", async (_name, options, status) => {
    const { url, close } = await open(options);
    const response = await fetch(url);
    expect([response.status, await response.json()]).toMatchObject([status, { code: "internal" }]);
    await close?.();
  });

  test.each(whenPaid)("returns 503 with Retry-After for %s", async (_name, options, status) => {
    const own = "facilitator" in options ? { facilitatorUrl: undefined } : {};
    const { url, close } = await open({ ...own, ...options } as Options);
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    expect([response.status, response.headers.get("retry-after")]).toEqual([
      status,
      expect.stringMatching(/^\d+$/),
    ]);
    await close?.();
  });

  test("returns 402 for the path /%zz, with the public address", async () => {
    const { url, close } = await open({ publicUrl: "https://shop.example" });
    const response = await fetch(`${url}/%zz`);
    expect(response.status).toBe(402);
    expect(new URL((await offerOf(response)).resource).origin).toBe("https://shop.example");
    await close?.();
  });

  test.each(["//", "//other.example/a", "/\\other.example"])(
    "returns 400 for the path %j, which some parsers read as another host",
    async (path) => {
      const { url, close } = await open({ publicUrl: "https://shop.example" });
      const response = await fetch(url + path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "invalid_target" });
      await close?.();
    },
  );
});

test("withPaywall reports an error and hides it from the caller", async () => {
  const told: unknown[] = [];
  const GET = withPaywall(
    { ...shop.price, amount: broken, onFault: (error) => told.push(error) },
    () => new Response("content"),
  );
  const response = await GET(new Request("http://shop.example/a"));
  expect(await response.text()).not.toContain("secret detail");
  expect(told).toMatchObject([{ message: "secret detail" }]);
});

test("withPaywall passes on Next's signals, even from a price function", async () => {
  const signal = Object.assign(new Error("NEXT_NOT_FOUND"), { digest: "NEXT_HTTP_ERROR_FALLBACK;404" });
  const GET = withPaywall(
    { ...shop.price, amount: () => Promise.reject(signal) },
    () => new Response("content"),
  );
  await expect(GET(new Request("http://shop.example/a"))).rejects.toBe(signal);
});

describe("a handler in a plain node server", () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ["throws", broken],
    ["ends with a number", (response) => response.end(5)],
    ["writes an object", (response) => response.write({})],
    [
      "sets an invalid status",
      (response) => {
        response.statusCode = 99_999;
        response.end("content");
      },
    ],
  ])(
    "that %s passes its error to the server, and the same payment buys the content later",
    async (_name, handle) => {
      let isBroken = true;
      const guard = paywall(shop.price);
      const server = await serveNode((request, response) =>
        guard(request, response, (error) => {
          if (error === undefined && isBroken) return handle(response);
          response.statusCode = error === undefined ? 200 : 500;
          response.end(error === undefined ? "content" : "broken");
        }),
      );
      const payment = await shop.payFor(server.url);
      const first = await askPaid(server.url, payment);
      expect([first.status, await first.text()]).toEqual([500, "broken"]);
      isBroken = false;
      expect(await (await askPaid(server.url, payment)).text()).toBe("content");
      await server.close();
    },
  );
});
