import { once } from "node:events";
import { open } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import {
  createAdaptorServer,
  getRequestListener,
  type HttpBindings,
  upgradeWebSocket,
} from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import express, { type Request as ExpressRequest } from "express";
import fastify from "fastify";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { stream } from "hono/streaming";
import { afterEach, describe, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { signPayment } from "#lib/x402/client/index.ts";
import { BypassError, paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import { type ClaimStore, createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import type { PaymentRequired } from "#lib/x402/types.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop, listen } = await openShop();

const endings: Array<{ close(): unknown }> = [];
afterEach(() => {
  for (const one of endings.splice(0)) one.close();
  vi.restoreAllMocks();
});

/** Creates a claim store in which no delivery can begin. */
const createClosedStore = (): ClaimStore => {
  const store = createMemoryClaimStore();
  const replace: ClaimStore["replace"] = async (key, from, to, ttlSeconds) =>
    !to.includes('"delivering"') && store.replace(key, from, to, ttlSeconds);
  return { ...store, replace };
};

/** Creates a claim store that fails as a delivery begins. */
const createFailingStore = (): ClaimStore => {
  const store = createMemoryClaimStore();
  const replace: ClaimStore["replace"] = async (key, from, to, ttlSeconds) => {
    if (to.includes('"delivering"')) throw new Error("the disk is full");
    return store.replace(key, from, to, ttlSeconds);
  };
  return { ...store, replace };
};

const unrecorded = [
  ["another process has taken", createClosedStore],
  ["the store fails to record", createFailingStore],
] as const;

let faults: unknown[] = [];
const onFault = (error: unknown) => void faults.push(error);
const file = fileURLToPath(import.meta.url);

type Flow = "upfront" | "authorization";
const flows: Flow[] = ["upfront", "authorization"];

describe.each(flows)("over HTTP/2 in the flow %s", (paymentFlow) => {
  /** Serves the handler, and returns a function that asks it with one payment. */
  const sell = async (handler: (response: Http2ServerResponse) => unknown) => {
    faults = [];
    const server = createHttp2Server(
      nodePaywall(
        { ...shop.price, paymentFlow, publicUrl: "http://shop.example", onFault },
        (_request: Http2ServerRequest, response: Http2ServerResponse) => handler(response),
      ),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    endings.push(client, server);
    const [requirements] = (JSON.parse((await ask(client, {})).text) as PaymentRequired).accepts;
    if (!requirements) throw new Error("no offer");
    const payment = { "x-payment": await signPayment({ ...shop.purse(), requirements }) };
    return () => ask(client, payment);
  };
  const ask = async (client: ClientHttp2Session, headers: Record<string, string>) => {
    const asking = client.request(headers);
    let status: number | undefined;
    let pushed = 0;
    client.on("stream", () => pushed++);
    asking.on("response", (head) => {
      status = head[":status"];
    });
    const read = await text(asking).catch(() => "");
    return { status, text: read, isBroken: asking.rstCode !== constants.NGHTTP2_NO_ERROR, pushed };
  };

  test.each<[string, string, (response: Http2ServerResponse) => unknown]>([
    [
      "stream.respond",
      "respond",
      ({ stream }) => {
        stream.respond({ ":status": 200 });
        stream.end("content");
      },
    ],
    ["stream.respondWithFile", "respondWithFile", ({ stream }) => stream.respondWithFile(file)],
    [
      "stream.respondWithFD",
      "respondWithFD",
      async ({ stream }) => {
        await using handle = await open(file);
        stream.respondWithFD(handle.fd);
      },
    ],
    ["stream.pushStream", "pushStream", ({ stream }) => stream.pushStream({ ":path": "/y" }, () => {})],
    [
      "createPushResponse",
      "pushStream",
      (response) => response.createPushResponse({ ":path": "/y" }, () => {}),
    ],
  ])("refuses %s, and the same payment buys the content later", async (_how, method, cheat) => {
    let isMended = false;
    const buy = await sell((response) => (isMended ? response.end("content") : cheat(response)));
    const before = await shop.balances();
    for (let times = 0; times < 2; times++) {
      await expect.poll(buy).toMatchObject({ status: 500, pushed: 0 });
      expect(faults.at(-1)).toMatchObject({
        code: "stream_refused",
        message: expect.stringContaining(`stream.${method} would send content before its payment`),
      });
    }
    isMended = true;
    await expect.poll(buy).toMatchObject({ status: 200, text: "content" });
    await expect.poll(async () => JSON.parse((await buy()).text)).toMatchObject({ code: "payment_replayed" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test.each<[string, string, (response: Http2ServerResponse) => unknown]>([
    ["stream.write", "write", ({ stream }) => stream.write("content")],
    ["stream.end", "end", ({ stream }) => stream.end("content")],
    ["a pipeline", "write", ({ stream }) => pipeline(Readable.from(["content"]), stream)],
    ["a pipe", "write", ({ stream }) => void Readable.from(["content"]).pipe(stream)],
  ])("breaks off at %s, and the same payment buys the content later", async (_how, method, cheat) => {
    let isMended = false;
    const buy = await sell((response) => (isMended ? response.end("content") : cheat(response)));
    expect(await buy()).toEqual({ status: undefined, text: "", isBroken: true, pushed: 0 });
    expect(String(faults[0])).toContain(`stream.${method} would send content before its payment`);
    isMended = true;
    await expect.poll(buy).toMatchObject({ status: 200, text: "content" });
  });

  test("counts as delivered if the handler gets past all of this", async () => {
    const buy = await sell(({ stream }) => {
      const { respond } = Object.getPrototypeOf(stream) as typeof stream;
      respond.call(stream, { ":status": 200 });
      stream.end("content");
    });
    const before = await shop.balances();
    expect(await buy()).toMatchObject({ status: 200, text: "content" });
    await expect.poll(() => String(faults[0])).toContain("counts as delivered, without a receipt");
    await expect.poll(async () => JSON.parse((await buy()).text)).toMatchObject({ code: "payment_replayed" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("reports a handler that fails after it got past all of this", async () => {
    const buy = await sell(({ stream }) => {
      const { respond } = Object.getPrototypeOf(stream) as typeof stream;
      respond.call(stream, { ":status": 200 });
      throw new Error("broken");
    });
    expect((await buy()).text).toBe("");
    expect(faults[0]).toEqual(new Error("broken"));
    await expect.poll(() => String(faults[1])).toContain("counts as delivered, without a receipt");
  });

  test("counts as delivered if the handler gets past all of this and then answers 500", async () => {
    const buy = await sell((response) => {
      const { stream } = response;
      const { respond } = Object.getPrototypeOf(stream) as typeof stream;
      respond.call(stream, { ":status": 200 });
      stream.write("content");
      response.statusCode = 500;
      response.end();
    });
    expect(await buy()).toMatchObject({ status: 200, text: "content" });
    await expect.poll(async () => JSON.parse((await buy()).text)).toMatchObject({ code: "payment_replayed" });
  });

  test("sends the handler's stream once its answer has begun", async () => {
    const buy = await sell(async (response) => {
      await new Promise((resolve) => response.write("first ", resolve));
      response.stream.end("last");
    });
    const expected = paymentFlow === "upfront" ? "first last" : "";
    const { text: read } = await buy();
    expect(read).toBe(expected);
  });
});

describe.each(flows)("over HTTP/1 in the flow %s", (paymentFlow) => {
  const sell = async (handler: (response: ServerResponse, request: IncomingMessage) => unknown) => {
    faults = [];
    const url = await listen(
      nodePaywall({ ...shop.price, paymentFlow, onFault }, (request, response) => handler(response, request)),
    );
    return { url, payment: await shop.payFor(url) };
  };

  test.each<[string, (response: ServerResponse) => unknown]>([
    ["socket.end", ({ socket }) => socket?.end("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ncontent")],
    [
      "socket.write",
      ({ socket }) => {
        socket?.write(Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\n"));
        socket?.end("content");
      },
    ],
    [
      "the methods of the prototype",
      (response) => {
        ServerResponse.prototype.writeHead.call(response, 200, { "content-length": 7 });
        Reflect.apply(ServerResponse.prototype.end, response, ["content"]);
      },
    ],
  ])("content sent by %s counts as delivered", async (_how, cheat) => {
    const { url, payment } = await sell(cheat);
    const before = await shop.balances();
    expect(await (await askPaid(url, payment)).text()).toBe("content");
    await expect
      .poll(() => faults[0])
      .toMatchObject({
        code: "answer_without_receipt",
        message: expect.stringContaining("counts as delivered, without a receipt"),
      });
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("an upgrade counts as delivered", async () => {
    const { url, payment } = await sell(({ socket }) =>
      socket?.end("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\ncontent"),
    );
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(`GET / HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-payment: ${payment}\r\n\r\n`);
    expect(await text(socket)).toContain("101 Switching Protocols");
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
  });

  test("early hints leave the payment valid", async () => {
    let isBroken = true;
    const { url, payment } = await sell((response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.writeProcessing();
      if (isBroken) response.destroy();
      else response.end("content");
    });
    await expect(askPaid(url, payment)).rejects.toThrow();
    isBroken = false;
    expect(await (await askPaid(url, payment)).text()).toBe("content");
    expect(faults).toEqual([]);
  });

  test.each(unrecorded)("sends nothing by the socket whose delivery %s", async (_how, createStore) => {
    const store = createStore();
    const url = await listen(
      nodePaywall({ ...shop.price, paymentFlow, store, onFault }, (_request, { socket }) =>
        socket?.end("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ncontent"),
      ),
    );
    faults = [];
    await expect(askPaid(url, await shop.payFor(url))).rejects.toThrow();
    expect(faults[0]).toBeInstanceOf(BypassError);
    expect(faults[0]).toMatchObject({ code: "answer_cut_off" });
  });
});

describe.each(flows)("Hono on Node in the flow %s", (paymentFlow) => {
  type NodeContext = Context<{ Bindings: HttpBindings }>;
  const sell = async (handler: (c: NodeContext) => Response | Promise<Response>) => {
    const app = new Hono<{ Bindings: HttpBindings }>()
      .get("/", honoPaywall({ ...shop.price, paymentFlow }), handler)
      .onError((_error, c) => c.text("failed", 500));
    const url = await listen(getRequestListener(app.fetch));
    return { url, payment: await shop.payFor(url) };
  };
  const finished = ({ env: { outgoing } }: NodeContext) =>
    outgoing.writableFinished ? undefined : once(outgoing, "finish");

  test.each<[string, (c: NodeContext) => Response | Promise<Response>]>([
    [
      "outgoing, before the handler returns",
      async (c) => {
        c.env.outgoing.writeHead(200, { "content-type": "text/plain" });
        c.env.outgoing.end("content");
        await finished(c);
        return RESPONSE_ALREADY_SENT;
      },
    ],
    [
      "outgoing, after the handler returned",
      (c) => {
        setTimeout(() => c.env.outgoing.end("content"), 50);
        return RESPONSE_ALREADY_SENT;
      },
    ],
    [
      "outgoing, and answers 500 then",
      async (c) => {
        vi.spyOn(console, "error").mockReturnValue();
        c.env.outgoing.end("content");
        await finished(c);
        return c.text("failed", 500);
      },
    ],
    [
      "outgoing, and throws then",
      async (c) => {
        c.env.outgoing.end("content");
        await finished(c);
        throw new Error("broken");
      },
    ],
    [
      "outgoing, and answers at the same time",
      (c) => {
        c.env.outgoing.end("content");
        return c.text("more");
      },
    ],
    [
      "a stream",
      (c) =>
        stream(c, async (parts) => {
          await parts.write("con");
          await parts.sleep(20);
          await parts.write("tent");
        }),
    ],
  ])("delivers once, with a receipt, what a handler sends by %s", async (_how, handler) => {
    const { url, payment } = await sell(handler);
    const before = await shop.balances();
    const first = await askPaid(url, payment);
    expect(first.headers.get("x-payment-response")).not.toBeNull();
    expect(await first.text()).toBe("content");
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("counts as delivered what a handler sends by the socket", async () => {
    const report = vi.spyOn(console, "error").mockReturnValue();
    const { url, payment } = await sell((c) => {
      c.env.incoming.socket.end("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ncontent");
      return RESPONSE_ALREADY_SENT;
    });
    expect(await (await askPaid(url, payment)).text()).toBe("content");
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
    expect(String(report.mock.calls[0])).toContain("counts as delivered, without a receipt");
  });

  test("leaves the payment valid if a handler sends nothing by outgoing before it fails", async () => {
    let isBroken = true;
    const { url, payment } = await sell((c) => {
      c.env.outgoing.setHeader("x-part", "1");
      if (isBroken) throw new Error("broken");
      c.env.outgoing.end("content");
      return RESPONSE_ALREADY_SENT;
    });
    expect((await askPaid(url, payment)).status).toBe(500);
    isBroken = false;
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });
});

describe.each(flows)("upgrades in the flow %s", (paymentFlow) => {
  type Upgraded = { ws?: WebSocket; upgrade?: boolean };
  const start = async (server: Server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    endings.push({ close: () => server.close().closeAllConnections() });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return { url, payment: await shop.payFor(url) };
  };
  /** Opens a websocket with a payment, and returns its first message, or else how it failed. */
  const ask = ({ url, payment }: { url: string; payment: string }) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url.replace("http", "ws"), { headers: { "x-payment": payment } });
      endings.push({ close: () => socket.terminate() });
      socket.on("message", (content) => resolve(String(content)));
      socket.on("unexpected-response", (_request, { statusCode }) => resolve(`status ${statusCode}`));
      socket.on("error", () => resolve("error"));
      socket.on("close", () => resolve("closed"));
    });
  const assigned = (request: IncomingMessage, socket: Socket) => {
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    return response;
  };
  const accept = (request: IncomingMessage, then: (ws: WebSocket) => void) =>
    new WebSocketServer({ noServer: true }).handleUpgrade(request, request.socket, Buffer.alloc(0), then);
  const sendContent = (ws: WebSocket) => ws.send("content");
  const price = () => ({ ...shop.price, paymentFlow });
  type Price = ReturnType<typeof price> & { store?: ClaimStore };

  const sellers: Record<string, (price: Price) => Server> = {
    nodePaywall(options) {
      const handle = nodePaywall({ ...options, onFault }, (request, response) =>
        (request as Upgraded).upgrade ? accept(request, sendContent) : response.end("page"),
      );
      const server = createServer(handle);
      return server.on(
        "upgrade",
        (request, socket: Socket) => void handle(request, assigned(request, socket)),
      );
    },
    fastifyPaywall(options) {
      const app = fastify();
      app.get("/", { preHandler: fastifyPaywall(options) }, (request, reply) => {
        reply.hijack();
        accept(request.raw, sendContent);
      });
      const ready = app.ready();
      const server = createServer(async (request, response) => {
        await ready;
        app.routing(request, response);
      });
      return server.on("upgrade", (request, socket: Socket) =>
        app.routing(request, assigned(request, socket)),
      );
    },
    honoPaywall(options) {
      const { fetch } = new Hono().get(
        "/",
        honoPaywall(options),
        upgradeWebSocket(() => ({ onOpen: (_event, ws) => ws.send("content") })),
      );
      const websocket = { server: new WebSocketServer({ noServer: true }) };
      return createAdaptorServer({ fetch, websocket }) as Server;
    },
  };

  test.each(Object.entries(sellers))("a websocket behind %s counts as delivered", async (_name, create) => {
    vi.spyOn(console, "error").mockReturnValue();
    const asked = await start(create(price()));
    const before = await shop.balances();
    await expect.poll(() => ask(asked)).toBe("content");
    await expect.poll(() => ask(asked)).toBe("status 402");
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test.each(
    Object.entries(sellers).flatMap(([name, create]) =>
      unrecorded.map(([how, createStore]) => [name, how, create, createStore] as const),
    ),
  )("opens no websocket behind %s whose delivery %s", async (_name, _how, create, createStore) => {
    vi.spyOn(console, "error").mockReturnValue();
    expect(await ask(await start(create({ ...price(), store: createStore() })))).toBe("error");
  });

  test.each(unrecorded)(
    "opens no websocket on a socket that the handler detached, whose delivery %s",
    async (_how, createStore) => {
      const server = createServer();
      const handle = nodePaywall({ ...price(), store: createStore(), onFault }, (request, response) => {
        response.detachSocket(request.socket);
        accept(request, sendContent);
      });
      server.on("upgrade", (request, socket: Socket) => void handle(request, assigned(request, socket)));
      server.on(
        "request",
        nodePaywall(price(), () => {}),
      );
      expect(await ask(await start(server))).toBe("error");
    },
  );

  test("opens no websocket behind honoPaywall whose answer can't be sent", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const upgrade = upgradeWebSocket(() => ({ onOpen: (_event, ws) => ws.send("content") }));
    const { fetch } = new Hono().get("/", honoPaywall(price()), async (c, next) => {
      await upgrade(c, next);
      const answer = new Response("read already");
      await answer.text();
      return answer;
    });
    const websocket = { server: new WebSocketServer({ noServer: true }) };
    expect(await ask(await start(createAdaptorServer({ fetch, websocket }) as Server))).toBe("error");
  });

  test.each([
    [
      "throws an HTTPException",
      () => {
        throw new HTTPException(504);
      },
    ],
    ["answers 503", () => new Response("busy", { status: 503 })],
  ])("opens no websocket behind honoPaywall whose handler upgrades and %s", async (_what, end) => {
    const upgrade = upgradeWebSocket(() => ({ onOpen: (_event, ws) => ws.send("content") }));
    const { fetch } = new Hono().get("/", honoPaywall(price()), async (c, next) => {
      await upgrade(c, next);
      return end();
    });
    const websocket = { server: new WebSocketServer({ noServer: true }) };
    expect(await ask(await start(createAdaptorServer({ fetch, websocket }) as Server))).toBe("error");
  });

  test("content on a connection that was upgraded before the paywall counts as delivered", async () => {
    const handle = nodePaywall({ ...price(), onFault }, (request: IncomingMessage & Upgraded, response) =>
      request.ws ? request.ws.send("content") : response.end("page"),
    );
    const server = createServer(handle);
    server.on("upgrade", (request, socket: Socket) =>
      accept(request, (ws) => void handle(Object.assign(request, { ws }), assigned(request, socket))),
    );
    const asked = await start(server);
    expect(await ask(asked)).toBe("content");
    expect(await (await askPaid(asked.url, asked.payment)).json()).toMatchObject({
      code: "payment_replayed",
    });
  });

  test("refuses an upgrade whose response has no socket, and charges nothing", async () => {
    let fault: unknown;
    const app = express()
      .get("/", paywall(price()), (request, response) => {
        const { ws } = request as ExpressRequest & Upgraded;
        if (ws) ws.send("content");
        else response.send("page");
      })
      .use(((error, _request, response, _next) => {
        fault = error;
        response.status(500).end();
      }) as express.ErrorRequestHandler);
    const server = createServer(app);
    new WebSocketServer({ server }).on("connection", (ws, request) => {
      const response = new ServerResponse(request);
      // As express-ws does.
      response.writeHead = () => {
        ws.close();
        return response;
      };
      app(Object.assign(request, { ws }) as never, response as never);
    });
    const asked = await start(server);
    const before = await shop.balances();
    expect(await ask(asked)).toBe("closed");
    expect(fault).toBeInstanceOf(BypassError);
    expect(fault).toMatchObject({
      code: "upgrade_without_socket",
      message: expect.stringContaining("call response.assignSocket"),
    });
    expect(await shop.balances()).toEqual(before);
    expect(await (await askPaid(asked.url, asked.payment)).text()).toBe("page");
  });
});
