import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { HeadersAdapter } from "next/dist/server/web/spec-extension/adapters/headers.js";
import { describe, expect, test } from "vitest";
import { honoPaywall } from "#lib/x402/hono.ts";
import { askPaid, offerOf, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop, serve } = await openShop();

const serveApp = (app: { fetch(request: Request): Response | Promise<Response> }) =>
  serve((request) => app.fetch(request));

describe("honoPaywall", () => {
  test("sets payer and txId in the context, and adds the receipt", async () => {
    const app = new Hono().get("/premium", honoPaywall(shop.price), (c) =>
      c.json({ payer: c.get("payer"), txId: c.get("txId") }),
    );
    const url = `${await serveApp(app)}/premium`;
    const response = await askPaid(url, await shop.payFor(url));
    expect(await response.clone().json()).toEqual({ payer: "alice", txId: receiptOf(response).txId });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect((await askPaid(url, await shop.payFor(url))).headers.get("content-type")).toMatch(/json/);
  });

  test("says why it can't sell in a static route of Next, which hides the request", async () => {
    const app = new Hono().get("/", honoPaywall(shop.price), (c) => c.text("content"));
    const faults: Error[] = [];
    app.onError((error, c) => c.text("failed", faults.push(error) > 0 ? 500 : 501));
    const request = new Request("http://localhost:3000/");
    Object.defineProperty(request, "headers", { value: HeadersAdapter.seal(new Headers()) });
    expect((await app.fetch(request)).status).toBe(500);
    expect(faults).toMatchObject([{ message: expect.stringContaining("it can't be static") }]);
    expect((await app.request("/")).status).toBe(402);
  });

  test("delivers once", async () => {
    const url = await serveApp(new Hono().get("/", honoPaywall(shop.price), (c) => c.text("content")));
    const payment = await shop.payFor(url);
    expect((await askPaid(url, payment)).status).toBe(200);
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("accepts a repeat from a client that disconnected while the handler worked", async () => {
    const leaving = new AbortController();
    const app = new Hono().get("/", honoPaywall(shop.price), (c) => {
      leaving.abort();
      return c.text("content");
    });
    const url = await serveApp(app);
    const headers = { "x-payment": await shop.payFor(url) };
    await app.fetch(new Request(url, { headers, signal: leaving.signal }));
    expect(await (await fetch(url, { headers })).text()).toBe("content");
    expect(await (await fetch(url, { headers })).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("adds the receipt to the failure of a handler that throws, and the same payment buys the content later", async () => {
    let isBroken = true;
    const app = new Hono().get("/", honoPaywall(shop.price), (c) => {
      if (isBroken) throw new Error("broken");
      return c.text("content");
    });
    app.onError((_error, c) => c.text("failed", 500));
    const url = await serveApp(app);
    const payment = await shop.payFor(url);
    const first = await askPaid(url, payment);
    expect([first.status, receiptOf(first).success]).toEqual([500, true]);
    isBroken = false;
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });

  test("fails a request whose answer's body was already read, and the same payment buys the content later", async () => {
    const used = new Response("content");
    await used.text();
    const answers = [used, new Response("content")];
    const app = new Hono().get("/", honoPaywall(shop.price), () => answers.shift() ?? used);
    app.onError((_error, c) => c.text("failed", 500));
    const url = await serveApp(app);
    const payment = await shop.payFor(url);
    expect((await askPaid(url, payment)).status).toBe(500);
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });

  test("treats a throwing handler as failed, even if the app returns 400", async () => {
    let isBroken = true;
    const app = new Hono().get("/", honoPaywall(shop.price), (c) => {
      if (isBroken) throw new Error("broken");
      return c.text("content");
    });
    app.onError((_error, c) => c.text("failed", 400));
    const url = await serveApp(app);
    const payment = await shop.payFor(url);
    expect((await askPaid(url, payment)).status).toBe(400);
    isBroken = false;
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });

  test("treats a handler that throws a 404 as having answered", async () => {
    const app = new Hono().get("/", honoPaywall(shop.price), () => {
      throw new HTTPException(404);
    });
    const url = await serveApp(app);
    const payment = await shop.payFor(url);
    expect((await askPaid(url, payment)).status).toBe(404);
    expect((await askPaid(url, payment)).status).toBe(402);
  });

  test("keeps the handler's cookies, but not its caching headers", async () => {
    const app = new Hono().get("/", honoPaywall(shop.price), (c) => {
      c.header("set-cookie", "a=1");
      c.header("set-cookie", "b=2", { append: true });
      c.header("cache-control", "public");
      return c.text("x");
    });
    const url = await serveApp(app);
    const { headers } = await askPaid(url, await shop.payFor(url));
    expect([headers.getSetCookie(), headers.get("cache-control")]).toEqual([
      ["a=1", "b=2"],
      "private, no-store",
    ]);
  });

  test("lets the price depend on the context, with its query and earlier middleware", async () => {
    const amount = (c: Context) =>
      c.req.query("plan") === "pro" && c.get("team") === "large" ? "1.000 HBD" : "0.001 HBD";
    const app = new Hono<{ Variables: { team: string } }>()
      .use((c, next) => {
        c.set("team", "large");
        return next();
      })
      .get("/", honoPaywall({ ...shop.price, amount }), (c) => c.text("x"));
    const url = await serveApp(app);
    expect((await offerOf(await fetch(`${url}/?plan=pro`))).maxAmountRequired).toBe("1.000 HBD");
  });

  test("answers preflights", async () => {
    const app = new Hono().use(honoPaywall(shop.price)).options("/", (c) => c.body(null, 204));
    const url = await serveApp(app);
    const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
    expect((await fetch(url, { method: "OPTIONS", headers })).status).toBe(204);
  });
});
