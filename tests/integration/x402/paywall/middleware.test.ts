import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import compress from "@fastify/compress";
import compression from "compression";
import cookieSession from "cookie-session";
import express, { type Response as Reply, type Request, type RequestHandler } from "express";
import session from "express-session";
import express5 from "express5";
import fastify from "fastify";
import { describe, expect, test } from "vitest";
import { type PaywallOptions, paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep, listen } = await openShop();

type SessionRequest = Request & { session: { visits?: number } };
const visit: RequestHandler = (request, _response, next) => {
  (request as SessionRequest).session.visits = 1;
  next();
};
/** Wraps `write` and `end` as loggers do. */
const countBytes: RequestHandler = (_request, response, next) => {
  const { write, end } = response;
  let bytes = 0;
  const count = (chunk: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) bytes += Buffer.from(chunk).length;
  };
  response.write = ((...given: Parameters<Reply["write"]>) => {
    count(given[0]);
    return Reflect.apply(write, response, given);
  }) as Reply["write"];
  response.end = ((...given: Parameters<Reply["end"]>) => {
    count(given[0]);
    response.addTrailers({ "x-bytes": String(bytes) });
    return Reflect.apply(end, response, given);
  }) as Reply["end"];
  next();
};

const middleware: Array<[string, () => RequestHandler[], string | null]> = [
  ["compression", () => [compression({ threshold: 0 })], null],
  [
    "express-session",
    () => [session({ secret: "s", resave: true, saveUninitialized: true }), visit],
    "connect.sid=",
  ],
  ["cookie-session", () => [cookieSession({ keys: ["k"] }), visit], "session="],
  ["a byte counter", () => [countBytes], null],
  [
    "all of them",
    () => [
      compression({ threshold: 0 }),
      session({ secret: "s", resave: true, saveUninitialized: true }),
      countBytes,
      visit,
    ],
    "connect.sid=",
  ],
];

const text = "content ".repeat(40_000);
const handlers: Array<[string, number, string, RequestHandler]> = [
  ["sends text", 200, "content", (_request, response) => void response.send("content")],
  [
    "answers JSON by writeHead",
    200,
    "{}",
    (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end("{}");
    },
  ],
  [
    "pipes a long stream",
    200,
    text,
    (_request, response) => {
      response.type("text/plain");
      Readable.from(text.match(/.{1,4000}/g) ?? []).pipe(response);
    },
  ],
  [
    "writes in parts and flushes",
    200,
    "one two",
    (_request, response) => {
      response.type("text/plain");
      response.flushHeaders();
      response.write("one ");
      (response as Reply & { flush?(): void }).flush?.();
      setImmediate(() => response.end("two"));
    },
  ],
  ["answers 204", 204, "", (_request, response) => void response.status(204).end()],
  ["answers 304", 304, "", (_request, response) => void response.status(304).end()],
];

describe.each([
  ["Express 4", express],
  ["Express 5", express5],
])("%s", (_version, create) => {
  const serve = (chain: RequestHandler[], handler: RequestHandler) => {
    const app = create();
    app.get("/", ...chain, handler);
    return listen(app);
  };
  const orders: Array<[string, (guard: RequestHandler, wrappers: RequestHandler[]) => RequestHandler[]]> = [
    ["behind the paywall", (guard, wrappers) => [guard, ...wrappers]],
    ["in front of the paywall", (guard, wrappers) => [...wrappers, guard]],
  ];
  const cases = middleware.flatMap((one) => orders.map((order) => [one[0], order[0], one, order] as const));

  describe.each(cases)("%s %s", (_name, _place, [, wrap, cookie], [, order]) => {
    test.each(handlers)(
      "delivers the complete answer of a handler that %s",
      async (_what, status, body, handler) => {
        const url = await serve(order(paywall(shop.price) as RequestHandler, wrap()), handler);
        const payment = await shop.payFor(url);
        const response = await askPaid(url, payment);
        expect([response.status, await response.text()]).toEqual([status, body]);
        expect(receiptOf(response).success).toBe(true);
        if (cookie) expect(response.headers.getSetCookie().join()).toContain(cookie);
        expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
      },
    );

    test("returns a readable 503 without content when a delivery can't be recorded", async () => {
      const memory = createMemoryClaimStore();
      const store: PaywallOptions["store"] = {
        ...memory,
        replace: (key, expected, value, ttlSeconds) =>
          value.includes('"delivering"')
            ? Promise.reject(new Error("disk full"))
            : memory.replace(key, expected, value, ttlSeconds),
      };
      const url = await serve(
        order(paywall({ ...shop.price, store }) as RequestHandler, wrap()),
        (_request, response) => void response.send(text),
      );
      const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
      expect([response.status, await response.json()]).toMatchObject([503, { code: "settlement_pending" }]);
    });
  });

  test("compresses answers as without a paywall", async () => {
    const url = await serve(
      [paywall(shop.price) as RequestHandler, compression({ threshold: 0 })],
      (_request, response) => void response.type("text/plain").send(text),
    );
    const response = await askPaid(url, await shop.payFor(url));
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(await response.text()).toBe(text);
  });

  test("sends the trailers of later middleware", async () => {
    const url = await serve([paywall(shop.price) as RequestHandler, countBytes], (_request, response) => {
      response.setHeader("trailer", "x-bytes");
      response.write("con");
      response.end("tent");
    });
    const headers = { "x-payment": await shop.payFor(url) };
    const [incoming] = (await once(httpGet(url, { headers }), "response")) as [IncomingMessage];
    incoming.resume();
    await once(incoming, "end");
    expect(incoming.trailers).toEqual({ "x-bytes": "7" });
  });

  test.each(["throws", "fails after its first part"])(
    "never mixes two answers of a handler that %s",
    async (how) => {
      const url = await serve(
        [paywall(shop.price) as RequestHandler, compression({ threshold: 0 })],
        (_request, response, next) => {
          if (how === "throws") throw new Error("broken");
          response.type("text/plain");
          response.write("first part");
          (response as Reply & { flush?(): void }).flush?.();
          setImmediate(() => next(new Error("broken")));
        },
      );
      const payment = await shop.payFor(url);
      const answer = await fetch(url, { headers: { "x-payment": payment } })
        .then(async (response) => [response.status, await response.text()])
        .catch(() => "cut");
      if (how === "throws") expect(answer).toMatchObject([500, expect.stringContaining("Error")]);
      else expect(answer).toBe("cut");
    },
  );
});

test("a paid answer that Fastify compresses arrives complete", async () => {
  const app = fastify({ forceCloseConnections: true });
  await app.register(compress, { threshold: 0 });
  app.get("/", { preHandler: fastifyPaywall(shop.price) }, async (_request, reply) => {
    reply.type("text/plain");
    return text;
  });
  const url = await keep(serveFastify(app));
  const response = await askPaid(url, await shop.payFor(url));
  expect(response.headers.get("content-encoding")).not.toBeNull();
  expect(await response.text()).toBe(text);
});
