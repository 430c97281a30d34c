import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { afterAll, describe, expect, test } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import type { PaymentRequired } from "#lib/x402/types.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify, serveNode } from "../../../harness/serve-web.ts";

const { shop, keep, serve, sell } = await openShop();

const endings: Array<{ close(): unknown }> = [];
afterAll(() => {
  for (const one of endings.splice(0)) one.close();
});

/** Breaks off the content that was started last. */
let breakOff = () => {};
/** Content larger than what the system buffers while the client reads nothing. */
const large = Buffer.alloc(32 * 1024 * 1024, "large ");
/**
 * Creates content in two parts, the second of which follows at once or never, or content in one large part.
 */
function source(ending: "whole" | "stalls" | "large"): Readable {
  const stream = new Readable({ read() {} });
  if (ending === "large") {
    stream.push(large);
    stream.push(null);
    return stream;
  }
  stream.push("first ");
  breakOff = () => void stream.destroy(new Error("out of order"));
  if (ending === "whole") {
    stream.push("last");
    stream.push(null);
  }
  return stream;
}
const toWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;

let ending: Parameters<typeof source>[0] = "whole";
const next = () => sell(() => new Response(toWeb(source(ending))));
const honoApp = () => {
  const app = new Hono();
  app.get("/", honoPaywall(shop.price), () => new Response(toWeb(source(ending))));
  return app;
};
const hono = () => {
  const app = honoApp();
  return serve((request) => app.fetch(request));
};
const honoOnNode = () => {
  const app = honoApp();
  return keep(serveNode(getRequestListener(app.fetch)));
};
const plainNode = () =>
  keep(
    serveNode(
      nodePaywall({ ...shop.price, onFault: () => {} }, (_request, response) => {
        source(ending)
          .on("error", () => response.destroy())
          .pipe(response);
      }),
    ),
  );
const connect = () => {
  const app = express();
  app.get("/", paywall(shop.price), (_request, response, forward) => {
    source(ending).on("error", forward).pipe(response);
  });
  app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.destroy();
  });
  return keep(serveNode(app));
};
const fastifyServer = async () => {
  const app = fastify();
  app.get("/", { preHandler: fastifyPaywall(shop.price) }, (_request, reply) => reply.send(source(ending)));
  return keep(serveFastify(app));
};

/**
 * Reads the first part and then disconnects, or stays until the server breaks off. Returns whether the body
 * was "whole" or "broken", or a status other than 200.
 */
async function readSome(url: string, payment: string, who: "reader" | "handler") {
  const asking = get(url, { agent: false, headers: { "x-payment": payment } });
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  if (answer.statusCode !== 200) {
    answer.resume();
    return answer.statusCode;
  }
  await once(answer, "data");
  const closed = new Promise((resolve) => answer.once("close", resolve));
  answer.on("error", () => {}).resume();
  if (who === "reader") answer.destroy();
  else breakOff();
  await closed;
  return answer.complete ? "whole" : "broken";
}

describe.each([
  ["withPaywall", next],
  ["honoPaywall", hono],
  ["honoPaywall on Hono's own server", honoOnNode],
  ["nodePaywall", plainNode],
  ["paywall", connect],
  ["fastifyPaywall", fastifyServer],
])("content behind %s", (_name, open) => {
  test.each([
    ["whose handler fails after its headers", "handler"],
    ["whose reader disconnects before its end", "reader"],
  ] as const)("%s is sent again for the same payment, charged once", async (_case, who) => {
    ending = "stalls";
    const url = await open();
    const payment = await shop.payFor(url);
    const before = await shop.balances();
    await expect.poll(() => readSome(url, payment, who)).toBe("broken");
    ending = "whole";
    const again = await askPaid(url, payment);
    expect([again.status, await again.text()]).toEqual([200, "first last"]);
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
    const after = await shop.balances();
    expect([before.alice - after.alice, after.shop - before.shop]).toEqual([50, 50]);
  });

  test("is sent again when its reader disconnects before all of it has left the server", async () => {
    ending = "large";
    const url = await open();
    const payment = await shop.payFor(url);
    await expect.poll(() => readSome(url, payment, "reader")).toBe("broken");
    ending = "whole";
    const again = await askPaid(url, payment);
    expect([again.status, await again.text()]).toEqual([200, "first last"]);
  });

  test("that keeps breaking off is sent four times in all", async () => {
    ending = "stalls";
    const url = await open();
    const payment = await shop.payFor(url);
    for (let times = 0; times < 4; times++)
      await expect.poll(() => readSome(url, payment, "handler")).toBe("broken");
    ending = "whole";
    const again = await askPaid(url, payment);
    expect([again.status, await again.text()]).toEqual([402, expect.stringContaining("payment_replayed")]);
  });
});

describe("content over HTTP/2", () => {
  const site = async () => {
    const server = createHttp2Server(
      nodePaywall(
        { ...shop.price, publicUrl: "http://shop.example", onFault: () => {} },
        async (_request: Http2ServerRequest, response: Http2ServerResponse) => {
          const content = source(ending);
          content.pipe(response);
          await finished(content);
        },
      ),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    endings.push(client, server);
    return client;
  };
  const begin = async (client: ClientHttp2Session, headers: Record<string, string> = {}) => {
    const asking = client.request(headers);
    const [head] = (await once(asking, "response")) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
    return { asking, head };
  };
  const ask = async (client: ClientHttp2Session, headers?: Record<string, string>) => {
    const { asking, head } = await begin(client, headers);
    return { status: head[":status"], text: await text(asking) };
  };
  const sign = async (client: ClientHttp2Session) => {
    const [requirements] = (JSON.parse((await ask(client)).text) as PaymentRequired).accepts;
    if (!requirements) throw new Error("no offer");
    return { "x-payment": await signPayment({ ...shop.purse(), requirements }) };
  };
  const readSomeOf = async (client: ClientHttp2Session, payment: Record<string, string>, who: string) => {
    const { asking, head } = await begin(client, payment);
    asking.on("error", () => {});
    if (head[":status"] !== 200) {
      asking.resume();
      return head[":status"];
    }
    await once(asking, "data");
    const closed = new Promise((resolve) => asking.once("close", resolve));
    if (who === "reader") asking.close(constants.NGHTTP2_CANCEL);
    else breakOff();
    await closed;
    return asking.rstCode === constants.NGHTTP2_NO_ERROR ? "whole" : "broken";
  };

  test.each(["handler", "reader"])(
    "is sent again for the same payment when its %s breaks off",
    async (who) => {
      ending = "stalls";
      const client = await site();
      const payment = await sign(client);
      await expect.poll(() => readSomeOf(client, payment, who)).toBe("broken");
      ending = "whole";
      await expect.poll(() => ask(client, payment)).toEqual({ status: 200, text: "first last" });
      await expect
        .poll(async () => JSON.parse((await ask(client, payment)).text))
        .toMatchObject({ code: "payment_replayed" });
    },
  );
});

test.each([
  ["writes all of its declared length", "whole", 402],
  ["ends its answer before its declared length", "sho", 200],
  ["ends its answer without a body", "", 200],
])(
  "after a handler that %s, the same payment gets content only if it is still owed",
  async (_, first, status) => {
    let begun = 0;
    const url = await keep(
      serveNode(
        nodePaywall({ ...shop.price, onFault: () => {} }, (_request, response) => {
          response.setHeader("content-length", 5);
          if (begun++ > 0) return void response.end("whole");
          response.write(first.slice(0, 2));
          response.end(first.slice(2));
        }),
      ),
    );
    const payment = await shop.payFor(url);
    const asking = get(url, { agent: false, headers: { "x-payment": payment } });
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    if (first !== "") await once(answer, "data");
    answer.on("error", () => {}).destroy();
    await expect.poll(async () => (await askPaid(url, payment)).status).toBe(status);
  },
);

describe("a handler that sent its declared length has delivered, even if it never ends its answer", () => {
  type Open = {
    writeHead(status: number, headers: Record<string, number>): unknown;
    write(text: string, encoding?: BufferEncoding, then?: () => void): unknown;
  };
  const stall = (response: Open, parts: readonly string[], length = 5) => {
    response.writeHead(200, { "content-length": length });
    // Middleware passes on absent values like this.
    for (const part of parts) response.write(part, "utf8", undefined);
  };
  const leave = async (url: string, payment: string) => {
    const asking = get(url, { agent: false, headers: { "x-payment": payment } });
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    return answer.statusCode === 200 ? text(answer) : answer.resume().statusCode;
  };

  test.each<[string, (parts: readonly string[]) => Promise<string>]>([
    [
      "nodePaywall",
      (parts) => keep(serveNode(nodePaywall(shop.price, (_request, response) => stall(response, parts)))),
    ],
    [
      "paywall",
      (parts) => {
        const app = express();
        app.get("/", paywall(shop.price), (_request, response) => stall(response, parts));
        return keep(serveNode(app));
      },
    ],
    [
      "fastifyPaywall",
      (parts) => {
        const app = fastify();
        app.get("/", { preHandler: fastifyPaywall(shop.price) }, (_request, reply) => {
          reply.hijack();
          stall(reply.raw, parts);
        });
        return keep(serveFastify(app));
      },
    ],
  ])("behind %s", async (_name, open) => {
    const whole = await open(["wh", "ole"]);
    const payment = await shop.payFor(whole);
    expect(await leave(whole, payment)).toBe("whole");
    expect(await (await askPaid(whole, payment)).json()).toMatchObject({ code: "payment_replayed" });
    const short = await open(["wh"]);
    const other = await shop.payFor(short);
    for (let times = 0; times < 2; times++)
      await expect.poll(() => readSome(short, other, "reader")).toBe("broken");
  });

  test("unless its reader disconnects before all of it has left the server", async () => {
    const whole = large.toString();
    let isStalled = true;
    const url = await keep(
      serveNode(
        nodePaywall(shop.price, (_request, response) => {
          if (isStalled) stall(response, [whole], whole.length);
          else response.end("again");
        }),
      ),
    );
    const payment = await shop.payFor(url);
    await expect.poll(() => readSome(url, payment, "reader")).toBe("broken");
    isStalled = false;
    expect(await (await askPaid(url, payment)).text()).toBe("again");
  });

  test("behind nodePaywall on HTTP/2", async () => {
    const server = createHttp2Server(
      nodePaywall(
        { ...shop.price, publicUrl: "http://shop.example" },
        (_request: Http2ServerRequest, response: Http2ServerResponse) => stall(response, ["wh", "ole"]),
      ),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    endings.push(client, server);
    const offered = JSON.parse(await text(client.request())) as PaymentRequired;
    const [requirements] = offered.accepts;
    if (!requirements) throw new Error("no offer");
    const payment = { "x-payment": await signPayment({ ...shop.purse(), requirements }) };
    const asking = client.request(payment);
    await once(asking, "data");
    asking.close(constants.NGHTTP2_CANCEL);
    await expect
      .poll(async () => JSON.parse(await text(client.request(payment))))
      .toMatchObject({ code: "payment_replayed" });
  });
});

test("content with a declared length counts as delivered once that many bytes are sent", async () => {
  const url = await sell(() => new Response(toWeb(source("stalls")), { headers: { "content-length": "6" } }));
  const payment = await shop.payFor(url);
  expect(await (await askPaid(url, payment)).text()).toBe("first ");
  expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
});

test.each([408, 425, 429])("an answer of %i leaves the payment valid", async (status) => {
  let isServed = false;
  const url = await sell(() => (isServed ? new Response("content") : new Response(null, { status })));
  const payment = await shop.payFor(url);
  expect((await askPaid(url, payment)).status).toBe(status);
  isServed = true;
  expect(await (await askPaid(url, payment)).text()).toBe("content");
});
