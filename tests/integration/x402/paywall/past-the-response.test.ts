import { once } from "node:events";
import { open } from "node:fs/promises";
import { type IncomingMessage, ServerResponse } from "node:http";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import type { PaymentRequired } from "#lib/x402/types.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop, listen } = await openShop();

const endings: Array<{ close(): unknown }> = [];
afterEach(() => {
  for (const one of endings.splice(0)) one.close();
});

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
      expect(String(faults.at(-1))).toContain(`stream.${method} would send content before its payment`);
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
    await expect.poll(() => String(faults[0])).toContain("counts as delivered, without a receipt");
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
});
