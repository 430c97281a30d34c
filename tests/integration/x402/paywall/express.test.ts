import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import express, { type Express } from "express";
import { describe, expect, test } from "vitest";
import { type ClaimStore, paywall } from "#lib/x402/express.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid, offerOf, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { soon } from "../../../harness/soon.ts";

const { shop, listen } = await openShop();

async function serve(build: (app: Express) => void) {
  const app = express();
  build(app);
  app.use(((_error, _request, response, _next) => {
    response.status(500).json({ failed: true });
  }) as express.ErrorRequestHandler);
  return listen(app);
}

describe("paywall, in Express", () => {
  test("sets req.payer and req.txId, and adds the receipt", async () => {
    const url = await serve((app) =>
      app.get("/premium", paywall(shop.price), (request, response) => {
        response.json({ payer: request.payer, txId: request.txId });
      }),
    );
    const response = await askPaid(`${url}/premium`, await shop.payFor(`${url}/premium`));
    const receipt = receiptOf(response);
    expect(await response.json()).toEqual({ payer: "alice", txId: receipt.txId });
    expect(receipt).toMatchObject({ success: true, blockNum: expect.any(Number), payer: "alice" });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(response.headers.get("access-control-expose-headers")).toContain("x-payment-response");
  });

  test("passes Express's request to the price function", async () => {
    const url = await serve((app) => {
      const amount = (request: express.Request) =>
        request.query.size === "large" ? "0.100 HBD" : "0.050 HBD";
      app.get("/named", paywall({ ...shop.price, amount }), (_request, response) => void response.end());
      app.get(
        "/inline",
        paywall({
          ...shop.price,
          amount: (request: express.Request) => (request.query.size === "large" ? "0.100 HBD" : "0.050 HBD"),
        }),
        (_request, response) => void response.end(),
      );
    });
    for (const path of ["/named", "/inline"]) {
      expect((await offerOf(await fetch(`${url}${path}?size=large`))).maxAmountRequired).toBe("0.100 HBD");
      expect((await offerOf(await fetch(`${url}${path}`))).maxAmountRequired).toBe("0.050 HBD");
    }
  });

  test("names the resource by the full path, even under a mounted router", async () => {
    const router = express
      .Router()
      .get("/b", paywall(shop.price), (_request, response) => void response.end());
    const url = await serve((app) => app.use("/a", router));
    expect((await offerOf(await fetch(`${url}/a/b?secret=1`))).resource).toBe(`${url}/a/b`);
  });

  test("delivers once, then returns 402 payment_replayed for the same header", async () => {
    const url = await serve((app) =>
      app.get("/", paywall(shop.price), (_request, response) => void response.send("x")),
    );
    const payment = await shop.payFor(url);
    expect((await askPaid(url, payment)).status).toBe(200);
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
  });

  test.each<[string, express.RequestHandler]>([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["calls next with an error", (_request, _response, next) => next(new Error("broken"))],
    [
      "answers 500 by writeHead",
      (_request, response) => void response.writeHead(500, { "x-own": "1" }).end("no"),
    ],
  ])(
    "adds the receipt to the failure of a handler that %s, and the same payment buys the content later",
    async (_name, fail) => {
      let isBroken = true;
      const url = await serve((app) =>
        app.get("/", paywall(shop.price), (request, response, next) =>
          isBroken ? fail(request, response, next) : void response.send("content"),
        ),
      );
      const payment = await shop.payFor(url);
      const first = await askPaid(url, payment);
      expect([first.status, receiptOf(first).success]).toEqual([500, true]);
      const before = await shop.balances();
      isBroken = false;
      const second = await askPaid(url, payment);
      expect([second.status, await second.text()]).toEqual([200, "content"]);
      expect(await shop.balances()).toEqual(before);
    },
  );

  test("passes on writeHead's headers in every form, except for caching headers", async () => {
    const heads: Array<(response: express.Response) => unknown> = [
      (response) => response.writeHead(201, { "x-own": "1", "cache-control": "public" }).end("x"),
      (response) => response.writeHead(201, "Fine", ["x-own", "1", "cache-control", "public"]).end("x"),
      (response) => response.writeHead(201, [["x-own", "1"]] as unknown as string[]).end("x"),
    ];
    for (const head of heads) {
      const url = await serve((app) =>
        app.get("/", paywall(shop.price), (_request, response) => void head(response)),
      );
      const { status, headers } = await askPaid(url, await shop.payFor(url));
      expect([status, headers.get("x-own"), headers.get("cache-control")]).toEqual([
        201,
        "1",
        "private, no-store",
      ]);
    }
  });

  test("streams: the first part arrives before the last is written", async () => {
    let finish = () => {};
    const url = await serve((app) =>
      app.get("/", paywall(shop.price), (_request, response) => {
        response.write("first ");
        finish = () => void response.end("last");
      }),
    );
    const response = await askPaid(url, await shop.payFor(url));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("first ");
    finish();
    expect((await reader?.read())?.value).toBe("last");
  });

  test("delivers a large file completely", async () => {
    const url = await serve((app) =>
      app.get("/", paywall(shop.price), (_request, response) =>
        response.sendFile("package-lock.json", { root: process.cwd() }),
      ),
    );
    const response = await askPaid(url, await shop.payFor(url));
    const text = await response.text();
    expect([response.status, JSON.parse(text).name]).toEqual([200, "hivegate"]);
  });

  test("answers preflights, and requires payment for other OPTIONS requests", async () => {
    const url = await serve((app) => {
      app.use(paywall(shop.price));
      app.options("/", (_request, response) => void response.status(204).end());
    });
    const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
    expect((await fetch(url, { method: "OPTIONS", headers })).status).toBe(204);
    expect((await fetch(url, { method: "OPTIONS" })).status).toBe(402);
  });

  test("passes the error of an invalid price to the error handler", async () => {
    const url = await serve((app) =>
      app.get(
        "/",
        paywall({ ...shop.price, amount: () => "free" }),
        (_request, response) => void response.end(),
      ),
    );
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([500, { failed: true }]);
  });
});

describe("a client that disconnects", () => {
  test("without having received a byte gets the content with the same payment later", async () => {
    let isReached = () => {};
    const reached = new Promise<void>((resolve) => {
      isReached = resolve;
    });
    let isSlow = true;
    const url = await serve((app) =>
      app.get("/", paywall(shop.price), (_request, response) => {
        if (!isSlow) return void response.send("content");
        isReached();
        response.on("close", () => void response.send("too late"));
      }),
    );
    const payment = await shop.payFor(url);
    const gone = new AbortController();
    const first = fetch(url, { headers: { "x-payment": payment }, signal: gone.signal }).catch(() => "gone");
    await reached;
    gone.abort();
    expect(await first).toBe("gone");
    isSlow = false;
    const before = await shop.balances();
    const second = await askPaid(url, payment);
    expect([second.status, await second.text()]).toEqual([200, "content"]);
    expect(await shop.balances()).toEqual(before);
  });

  test("in mid-content gets the content again with the same header, up to three times", async () => {
    const url = await serve((app) =>
      app.get("/", paywall(shop.price), (_request, response) => {
        response.write("first part");
      }),
    );
    const payment = await shop.payFor(url);
    const readSome = async () => {
      const asking = httpGet(url, { headers: { "x-payment": payment } });
      const [incoming] = (await once(asking, "response")) as [IncomingMessage];
      if (incoming.statusCode === 200) await once(incoming, "data");
      incoming.destroy();
      return incoming.statusCode;
    };
    const before = await shop.balances();
    for (let reader = 0; reader < 4; reader++) await expect.poll(readSome).toBe(200);
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
    const after = await shop.balances();
    expect([before.alice - after.alice, after.shop - before.shop]).toEqual([50, 50]);
  });
});

describe("a claim store", () => {
  const failing = (methods: ReadonlyArray<keyof ClaimStore>) => {
    const store = createMemoryClaimStore();
    const broken = { isOn: true, refusals: 0 };
    const wrap = <K extends keyof ClaimStore>(name: K) =>
      ((...given: Parameters<ClaimStore[K]>) => {
        if (!broken.isOn || !methods.includes(name)) return Reflect.apply(store[name], store, given);
        broken.refusals += 1;
        return Promise.reject(new Error("down"));
      }) as ClaimStore[K];
    const claims: ClaimStore = {
      get: wrap("get"),
      setIfAbsent: wrap("setIfAbsent"),
      replace: wrap("replace"),
      deleteIf: wrap("deleteIf"),
    };
    return { claims, broken };
  };

  test.each<[string, ReadonlyArray<keyof ClaimStore>]>([
    ["failing completely", ["get", "setIfAbsent", "replace", "deleteIf"]],
    ["failing to read", ["get"]],
    ["failing to claim", ["setIfAbsent"]],
    ["failing to record", ["replace"]],
  ])(
    "%s causes 503 without content, and the same payment buys the content once the store works again",
    async (_name, methods) => {
      const { claims, broken } = failing(methods);
      const url = await serve((app) =>
        app.get(
          "/",
          paywall({ ...shop.price, store: claims }),
          (_request, response) => void response.send("content"),
        ),
      );
      const payment = await shop.payFor(url);
      const response = await fetch(url, { headers: { "x-payment": payment } });
      expect([response.status, (await response.text()).includes("content")]).toEqual([503, false]);
      broken.isOn = false;
      const delivered = await askPaid(url, payment);
      expect([delivered.status, await delivered.text()]).toEqual([200, "content"]);
      expect((await askPaid(url, payment)).status).toBe(402);
    },
  );

  test("failing between payment and delivery lets no content out, and later writes of the handler are harmless", async () => {
    const { claims, broken } = failing(["replace"]);
    broken.isOn = false;
    const url = await serve((app) =>
      app.get("/", paywall({ ...shop.price, store: claims }), async (_request, response) => {
        broken.isOn = true;
        response.write("content");
        await soon(() => expect(broken.refusals).toBeGreaterThan(0));
        for (let part = 0; part < 5; part++) {
          await new Promise((resolve) => setImmediate(resolve));
          response.write("content");
        }
        response.end();
        broken.isOn = false;
      }),
    );
    const payment = await shop.payFor(url);
    const response = await fetch(url, { headers: { "x-payment": payment } });
    expect([response.status, receiptOf(response).success]).toEqual([503, true]);
    expect(await response.json()).toMatchObject({ code: "settlement_pending" });
  });

  test("failing between payment and delivery causes a 503 without the handler's content headers", async () => {
    const { claims, broken } = failing(["replace"]);
    broken.isOn = false;
    const url = await serve((app) =>
      app.get("/", paywall({ ...shop.price, store: claims }), (_request, response) => {
        broken.isOn = true;
        response.set({ "content-encoding": "gzip", "last-modified": new Date(0).toUTCString() });
        response.statusMessage = "Here you are";
        response.send("content");
      }),
    );
    const response = await fetch(url, { headers: { "x-payment": await shop.payFor(url) } });
    expect([response.status, response.statusText]).toEqual([503, "Service Unavailable"]);
    expect(await response.json()).toMatchObject({ code: "settlement_pending" });
    for (const name of ["etag", "last-modified", "content-encoding"])
      expect(response.headers.get(name)).toBeNull();
  });
});
