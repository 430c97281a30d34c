import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { beforeEach, describe, expect, test } from "vitest";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import type { PaywallOptions } from "#lib/x402/paywall/options.ts";
import { askPaid, decodeHeader, offerOf, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep, serve, listen, sell } = await openShop();

/** A handler's work, whose answer every framework can send: a status, a type and the parts of a text. */
type Work = () => Answer | Promise<Answer>;
type Answer = { status?: number; type?: string; parts: AsyncIterable<string> | Iterable<string> };

const text = (content: string, status = 200): Answer => ({ status, parts: [content] });

function toStream({ parts }: Answer): ReadableStream<Uint8Array> {
  const iterator = (async function* () {
    yield* parts;
  })();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
    cancel: () => void iterator.return(),
  });
}

const toResponse = (answer: Answer) =>
  new Response(toStream(answer), {
    status: answer.status ?? 200,
    headers: { "content-type": answer.type ?? "text/plain" },
  });

type Options = Partial<Omit<PaywallOptions, "amount" | "receivingAccount" | "access" | "language">>;
/** Functions that start a seller and return its address. It runs the work for each paid request. */
const sellers: Record<string, (work: Work, options?: Options) => Promise<string>> = {
  Express: (work, options) =>
    listen(
      express()
        .get("/", paywall({ ...shop.price, ...options }), (_request, response, next) => {
          const respond = async () => {
            const { status = 200, type = "text/plain", parts } = await work();
            response.status(status).type(type);
            for await (const part of parts) response.write(part);
            response.end();
          };
          respond().catch(next);
        })
        .use(((_error, _request, response, next) =>
          response.headersSent ? next(_error) : response.status(500).end()) as express.ErrorRequestHandler),
    ),
  Next: (work, options) => {
    const GET = withPaywall({ ...shop.price, ...options, onFault: () => {} }, async () =>
      toResponse(await work()),
    );
    return serve((request) => GET(request));
  },
  Hono: (work, options) => {
    const app = new Hono()
      .get("/", honoPaywall({ ...shop.price, ...options }), async () => toResponse(await work()))
      .onError((_error, c) => c.text("out of order", 500));
    return listen(getRequestListener(app.fetch));
  },
  Fastify: (work, options) => {
    const app = fastify({ forceCloseConnections: true });
    app.get("/", { preHandler: fastifyPaywall({ ...shop.price, ...options }) }, async (_request, reply) => {
      const answer = await work();
      return reply
        .code(answer.status ?? 200)
        .type(answer.type ?? "text/plain")
        .send(toStream(answer));
    });
    return keep(serveFastify(app));
  },
  Node: (work, options) =>
    listen(
      nodePaywall({ ...shop.price, ...options, onFault: () => {} }, async (_request, response) => {
        const { status = 200, type = "text/plain", parts } = await work();
        response.writeHead(status, { "content-type": type });
        for await (const part of parts) response.write(part);
        response.end();
      }),
    ),
};
const frameworks = Object.keys(sellers);

/** Sells the work, which is done before the payment settles. */
const sellWork = async (framework: string, work: Work, options: Options = {}): Promise<string> => {
  const url = await sellers[framework]?.(work, { paymentFlow: "authorization", ...options });
  if (url === undefined) throw new Error(`no framework ${framework}`);
  return url;
};

/** The calls to the facilitator and the runs of the handler, in order. */
let events: string[] = [];
beforeEach(() => {
  events = [];
  shop.door.treat((path) => {
    events.push(path);
    return "pass";
  });
});
const noting =
  (work: Work): Work =>
  () => {
    events.push("handler");
    return work();
  };

/** Sends a payment once. Returns "cut" in place of a body that breaks off. */
const askOnce = async (url: string, payment: string) =>
  fetch(url, { headers: { "x-payment": payment } }).then(
    async (response) => ({ status: response.status, body: await response.text().catch(() => "cut") }),
    () => ({ status: 0, body: "cut" }),
  );

describe.each(frameworks)("the authorization flow in %s", (framework) => {
  test("verifies, runs the handler, settles, and then delivers with the receipt", async () => {
    const url = await sellWork(
      framework,
      noting(() => text("content")),
    );
    const before = await shop.balances();
    const response = await askPaid(url, await shop.payFor(url));
    expect([response.status, await response.text()]).toEqual([200, "content"]);
    expect(events).toEqual(["/verify", "handler", "/settle"]);
    expect(receiptOf(response)).toMatchObject({ success: true, payer: "alice" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test.each<[string, Work]>([
    ["throws", () => Promise.reject(new Error("out of order"))],
    ["answers 404", () => text("none", 404)],
    ["answers 500", () => text("out of order", 500)],
  ])("charges nothing if the handler %s, and the same payment buys a later answer", async (_name, fail) => {
    let isBroken = true;
    const url = await sellWork(
      framework,
      noting(() => (isBroken ? fail() : text("content"))),
    );
    const payment = await shop.payFor(url);
    const before = await shop.balances();
    const failed = await fetch(url, { headers: { "x-payment": payment } });
    expect([failed.status >= 400, failed.headers.get("x-payment-response")]).toEqual([true, null]);
    expect(events).toEqual(["/verify", "handler"]);
    expect(await shop.balances()).toEqual(before);
    isBroken = false;
    const delivered = await askPaid(url, payment);
    expect([delivered.status, await delivered.text()]).toEqual([200, "content"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("charges nothing if the content breaks off, and sends none of it", async () => {
    let isBroken = true;
    const url = await sellWork(framework, () => ({
      parts: (async function* () {
        yield "half ";
        if (isBroken) throw new Error("out of order");
        yield "whole";
      })(),
    }));
    const payment = await shop.payFor(url);
    const before = await shop.balances();
    const { status, body } = await askOnce(url, payment);
    expect([status === 200, body.includes("half")]).toEqual([false, false]);
    expect([events, await shop.balances()]).toEqual([["/verify"], before]);
    isBroken = false;
    const delivered = await askPaid(url, payment);
    expect(await delivered.text()).toBe("half whole");
  });

  test("does not deliver if settling is refused after the handler", async () => {
    const url = await sellWork(
      framework,
      noting(() => text("content")),
    );
    const payment = await shop.payFor(url);
    shop.door.treat((path) =>
      path === "/settle"
        ? { change: () => ({ success: false, errorReason: "insufficient_funds", payer: "alice" }) }
        : "pass",
    );
    const response = await fetch(url, { headers: { "x-payment": payment } });
    const body = await response.clone().text();
    expect([response.status, body.includes('"content"'), response.headers.get("x-payment-response")]).toEqual(
      [402, false, null],
    );
    expect(JSON.parse(body)).toMatchObject({ code: "insufficient_funds" });
    expect(await offerOf(response)).toMatchObject({ payTo: "shop" });
  });

  test("answers 503 if settlement gets no answer, and settles first when the payment is sent again", async () => {
    const url = await sellWork(
      framework,
      noting(() => text("content")),
    );
    const payment = await shop.payFor(url);
    const before = await shop.balances();
    shop.door.treat((path) => {
      events.push(path);
      return path === "/settle" ? "lose-answer" : "pass";
    });
    const lost = await fetch(url, { headers: { "x-payment": payment } });
    expect([lost.status, await lost.json()]).toMatchObject([503, { code: "settlement_pending" }]);
    shop.door.treat((path) => {
      events.push(path);
      return "pass";
    });
    const delivered = await askPaid(url, payment);
    expect([delivered.status, await delivered.text()]).toEqual([200, "content"]);
    expect(events).toEqual(["/verify", "handler", "/settle", "/settle", "handler"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("admits only one of several simultaneous requests with the same payment", async () => {
    const url = await sellWork(
      framework,
      noting(() => text("content")),
    );
    const payment = await shop.payFor(url);
    const before = await shop.balances();
    const answers = await Promise.all(Array.from({ length: 4 }, () => askPaid(url, payment)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402]);
    expect(events.filter((event) => event === "handler").length).toBe(1);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("settles content of more than 1 MiB before the rest of it exists", async () => {
    let finish = () => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const part = "x".repeat(65_536);
    const url = await sellWork(framework, () => ({
      parts: (async function* () {
        for (let count = 0; count < 17; count++) yield part;
        await isFinished;
        yield "end";
      })(),
    }));
    const response = await askPaid(url, await shop.payFor(url));
    expect([events, receiptOf(response).success]).toEqual([["/verify", "/settle"], true]);
    finish();
    const content = await response.text();
    expect([content.length, content.endsWith("end")]).toEqual([17 * 65_536 + 3, true]);
  });

  test("settles a stream of events before it ends", async () => {
    let finish = () => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const url = await sellWork(framework, () => ({
      type: "text/event-stream",
      parts: (async function* () {
        yield "data: first\n\n";
        await isFinished;
      })(),
    }));
    const response = await askPaid(url, await shop.payFor(url));
    expect([response.status, events]).toEqual([200, ["/verify", "/settle"]]);
    finish();
    expect(await response.text()).toBe("data: first\n\n");
  });
});

test("the option paymentFlow is refused if it names an unknown flow", () => {
  const paymentFlow = "escrow" as "upfront";
  expect(() => withPaywall({ ...shop.price, paymentFlow }, () => new Response())).toThrow(
    new TypeError("paymentFlow must be upfront or authorization"),
  );
});

describe("the authorization flow", () => {
  test("is not named in offers of version 2, unlike upfront", async () => {
    const offered = async (paymentFlow?: "authorization" | "upfront") => {
      const url = await sell(() => new Response("content"), { ...(paymentFlow && { paymentFlow }) });
      const required = await fetch(url);
      const { accepts } = decodeHeader<{ accepts: Array<{ extra: object }> }>(required, "payment-required");
      return accepts.map(({ extra }) => extra);
    };
    const nonce = expect.any(String);
    expect(await offered("authorization")).toEqual([{ nonce }]);
    expect(await offered("upfront")).toEqual([{ nonce, paymentFlow: "upfront" }]);
    expect(await offered()).toEqual([{ nonce, paymentFlow: "upfront" }]);
  });

  test("charges nothing if the payer disconnects while the handler works", async () => {
    const leaving = new AbortController();
    let isFirst = true;
    const GET = withPaywall({ ...shop.price, paymentFlow: "authorization" }, () => {
      if (isFirst) leaving.abort();
      isFirst = false;
      return new Response("content");
    });
    const url = await serve((request) => GET(request));
    const headers = { "x-payment": await shop.payFor(url) };
    const before = await shop.balances();
    await GET(new Request(url, { headers, signal: leaving.signal }));
    expect([events, await shop.balances()]).toEqual([["/verify"], before]);
    expect(await (await fetch(url, { headers })).text()).toBe("content");
  });

  test.each([
    ["settles for a redirect", "NEXT_REDIRECT;replace;/there;307;", 307, ["/verify", "/settle"]],
    ["does not settle for notFound()", "NEXT_HTTP_ERROR_FALLBACK;404", 404, ["/verify"]],
  ])("%s, as for an answer with that status", async (_name, digest, status, expected) => {
    const GET = withPaywall({ ...shop.price, paymentFlow: "authorization" }, () =>
      Promise.reject(Object.assign(new Error(digest), { digest })),
    );
    const url = await serve((request) => GET(request).catch(() => new Response(null, { status: 404 })));
    const headers = { "x-payment": await shop.payFor(url) };
    expect((await fetch(url, { headers, redirect: "manual" })).status).toBe(status);
    expect(events).toEqual(expected);
  });

  test("withholds content if the store fails after the handler, and the same payment buys it later", async () => {
    const store = createMemoryClaimStore();
    let isDown = false;
    let isServed = false;
    const setIfAbsent: typeof store.setIfAbsent = (...given) =>
      isDown ? Promise.reject(new Error("down")) : store.setIfAbsent(...given);
    const url = await sell(
      () => {
        isDown = !isServed;
        return new Response("content");
      },
      { paymentFlow: "authorization", store: { ...store, setIfAbsent } },
    );
    const payment = await shop.payFor(url);
    const before = await shop.balances();
    const refused = await fetch(url, { headers: { "x-payment": payment } });
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: "degraded" }]);
    expect(await shop.balances()).toEqual(before);
    isDown = false;
    isServed = true;
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });

  test("charges once for a purchase when three payments for it arrive together", async () => {
    const access = { for: "30d", account: () => null };
    const url = await sell(noteRun, { paymentFlow: "authorization", access });
    const before = await shop.balances();
    const payments = await Promise.all([1, 2, 3].map(() => shop.payFor(url)));
    const answers = await Promise.all(payments.map((payment) => askPaid(url, payment)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("lets our client pay in version 2 without allowUpfront", async () => {
    const url = await sell(() => new Response("content"), { paymentFlow: "authorization" });
    const onlyVersion2: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status !== 402) return response;
      return new Response("{}", {
        status: 402,
        headers: { "payment-required": response.headers.get("payment-required") ?? "" },
      });
    };
    const response = await shop.payer({ fetch: onlyVersion2 })(url);
    expect([response.status, await response.text()]).toEqual([200, "content"]);
  });
});

function noteRun(): Response {
  events.push("handler");
  return new Response("content");
}
