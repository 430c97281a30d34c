import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import type { ClaimStore } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid, offerOf, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";

const { shop, keep } = await openShop();

async function serve(build: (app: FastifyInstance) => void): Promise<string> {
  const app = fastify({ forceCloseConnections: true });
  build(app);
  return keep(serveFastify(app));
}

const refusingStore = (): ClaimStore => {
  const memory = createMemoryClaimStore();
  return {
    ...memory,
    replace: (key, expected, value, ttlSeconds) =>
      value.includes('"delivering"')
        ? Promise.reject(new Error("disk full"))
        : memory.replace(key, expected, value, ttlSeconds),
  };
};

describe("fastifyPaywall", () => {
  test("sets payer and txId on the request, and adds the receipt to the handler's answer", async () => {
    const url = await serve((app) =>
      app.get("/premium", { preHandler: fastifyPaywall(shop.price) }, async ({ payer, txId }, reply) => {
        reply.header("x-own", "1").code(201);
        return { payer, txId };
      }),
    );
    const response = await askPaid(`${url}/premium`, await shop.payFor(`${url}/premium`));
    expect([response.status, response.headers.get("x-own")]).toEqual([201, "1"]);
    expect(await response.clone().json()).toEqual({ payer: "alice", txId: receiptOf(response).txId });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(response.headers.get("access-control-expose-headers")).toContain("x-payment-response");
  });

  test("names the resource by the full path, and passes Fastify's request to `amount`", async () => {
    const amount = (request: { params: unknown }) =>
      (request.params as { size: string }).size === "big" ? "2.000 HBD" : "0.050 HBD";
    const preHandler = fastifyPaywall({ ...shop.price, amount });
    const url = await serve((app) => app.get("/a/b/:size", { preHandler }, async () => "x"));
    expect(await offerOf(await fetch(`${url}/a/b/big?secret=1`))).toMatchObject({
      resource: `${url}/a/b/big`,
      maxAmountRequired: "2.000 HBD",
    });
  });

  test("keeps the headers of other hooks on the answer to a refused request", async () => {
    const url = await serve((app) => {
      app.addHook("onRequest", async (_request, reply) => void reply.header("x-hook", "1"));
      app.get("/", { preHandler: fastifyPaywall(shop.price) }, async () => "content");
    });
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get("x-hook")]).toEqual([402, "1"]);
    const page = await fetch(url, { headers: { accept: "text/html" } });
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
  });

  test("delivers once, then returns 402 payment_replayed for the same header", async () => {
    const url = await serve((app) =>
      app.get("/", { preHandler: fastifyPaywall(shop.price) }, async () => "content"),
    );
    const payment = await shop.payFor(url);
    expect(await (await askPaid(url, payment)).text()).toBe("content");
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("adds the receipt to the failure of a handler that throws, and the same payment buys the content later", async () => {
    let isBroken = true;
    const url = await serve((app) =>
      app.get("/", { preHandler: fastifyPaywall(shop.price) }, async () => {
        if (isBroken) throw new Error("broken");
        return "content";
      }),
    );
    const payment = await shop.payFor(url);
    const first = await askPaid(url, payment);
    expect([first.status, receiptOf(first).success]).toEqual([500, true]);
    isBroken = false;
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });

  test("delivers a stream completely", async () => {
    const parts = ["one ", "two ", "three"];
    const url = await serve((app) =>
      app.get(
        "/",
        { preHandler: fastifyPaywall(shop.price) },
        async () => new Response(new Blob(parts)).body,
      ),
    );
    expect(await (await askPaid(url, await shop.payFor(url))).text()).toBe(parts.join(""));
  });

  test("sends no content if its delivery can't be recorded", async () => {
    const url = await serve((app) =>
      app.get(
        "/",
        { preHandler: fastifyPaywall({ ...shop.price, store: refusingStore() }) },
        async () => "content",
      ),
    );
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: "settlement_pending" });
  });
});
