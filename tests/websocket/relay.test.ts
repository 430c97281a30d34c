import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { createHeartbeat } from "../../lib/chat/websocket/heartbeat.ts";
import { soon } from "../harness/soon.ts";
import { type LocalGateway, startGateway } from "../harness/start-gateway.ts";
import {
  alicePat,
  playMattermost,
  type ScriptedMattermost,
  startScriptedMattermost,
} from "../harness/start-scripted-mattermost.ts";
import { type Client, openWebsocket } from "./open-websocket.ts";

const bearer = { headers: { authorization: `Bearer ${alicePat}` } };

let mattermost: ScriptedMattermost;
let gateway: LocalGateway;
const opened: Client[] = [];

/** Opens a client, and Mattermost's end of its connection, after hello. */
async function openPair(
  options: WebSocket.ClientOptions = {},
  between = { gateway, mattermost },
): Promise<Client & { upstream: WebSocket }> {
  const known = new Set(between.mattermost.sockets);
  const client = await openWebsocket(between.gateway.url, "", { ...bearer, ...options });
  opened.push(client);
  await soon(() => expect(client.messages).toHaveLength(1));
  const upstream = [...between.mattermost.sockets].find((socket) => !known.has(socket));
  if (!upstream) throw new Error("no upstream connection");
  return { ...client, upstream };
}

const closeOf = (socket: WebSocket) =>
  new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })),
  );

async function startPair(heartbeat = createHeartbeat()) {
  const mattermost = await startScriptedMattermost();
  const gateway = await startGateway(
    { settings: { CHAT_BASE_URL: mattermost.url, METRICS_TOKEN: "m".repeat(16) } },
    { handshakeTimeoutMs: 60_000, heartbeat },
  );
  return { mattermost, gateway };
}

beforeAll(async () => {
  ({ mattermost, gateway } = await startPair());
});
afterAll(async () => {
  await gateway.close();
  await mattermost.close();
});

afterEach(async () => {
  mattermost.script = {};
  for (const { socket } of opened.splice(0)) socket.terminate();
  await soon(() => expect(mattermost.sockets.size).toBe(0));
});

describe("messages", () => {
  test("pass text and binary unchanged both ways, in order", async () => {
    const { socket, messages, upstream } = await openPair();
    const sent: Array<[string, boolean]> = [];
    upstream.on("message", (data, isBinary) => sent.push([data.toString("hex"), isBinary]));
    const odd = Buffer.from('{"seq": 1,\t"action":"ping" }\n');
    socket.send(odd.toString());
    socket.send(Buffer.from([0, 255, 1]));
    await soon(() =>
      expect(sent).toEqual([
        [odd.toString("hex"), false],
        ["00ff01", true],
      ]),
    );
    await soon(() => expect(messages).toHaveLength(3));
    expect(messages.slice(1)).toEqual([expect.objectContaining({ seq_reply: 1 }), Buffer.from([0, 255, 1])]);
  });

  test("from a client pass right after the handshake, and each gets its reply", async () => {
    const client = await openWebsocket(gateway.url, "", bearer);
    opened.push(client);
    for (const seq of [1, 1, 2]) client.socket.send(JSON.stringify({ seq, action: "ping" }));
    await soon(() => expect(client.messages).toHaveLength(4));
    expect(client.messages).toMatchObject([
      { event: "hello" },
      { seq_reply: 1 },
      { seq_reply: 1 },
      { seq_reply: 2 },
    ]);
  });

  test("never include the reply to the challenge", async () => {
    mattermost.script.onConnection = (socket, incoming) => {
      playMattermost(socket, Object.assign(incoming, { headers: {} }));
    };
    const { socket, messages } = await openPair();
    socket.send(JSON.stringify({ seq: 1, action: "ping" }));
    await soon(() => expect(messages).toHaveLength(2));
    expect(messages).toMatchObject([{ event: "hello" }, { seq_reply: 1 }]);
  });

  test("of 16 KiB pass, and larger ones close the websocket with 1009, whole or in fragments", async () => {
    const { socket, upstream } = await openPair();
    const sizes: number[] = [];
    upstream.on("message", (data: Buffer) => sizes.push(data.byteLength));
    socket.send(Buffer.alloc(16 * 1024));
    await soon(() => expect(sizes).toEqual([16 * 1024]));
    const upstreamClose = closeOf(upstream);
    socket.send(Buffer.alloc(16 * 1024 + 1));
    expect((await closeOf(socket)).code).toBe(1009);
    await upstreamClose;

    const second = await openPair();
    second.socket.send(Buffer.alloc(10_000), { fin: false });
    second.socket.send(Buffer.alloc(10_000), { fin: true });
    expect((await second.closed).code).toBe(1009);
  });

  test("from Mattermost pass even if large", async () => {
    const { messages, upstream } = await openPair();
    const post = "x".repeat(500_000);
    upstream.send(JSON.stringify({ event: "posted", data: { post }, broadcast: {}, seq: 1 }));
    await soon(() => expect(messages).toMatchObject([{}, { data: { post } }]));
  });

  test("close the websocket with 1008 at the 61st frame within 10 seconds", async () => {
    const { socket, closed, upstream } = await openPair();
    let count = 0;
    upstream.on("message", () => count++);
    for (let seq = 1; seq <= 61; seq++) socket.send(JSON.stringify({ seq, action: "ping" }));
    expect(await closed).toEqual({ code: 1008, reason: "too many frames" });
    expect(count).toBe(60);
  });

  test.each(["ping", "pong"] as const)(
    "close the websocket with 1008 at the 61st %s frame within 10 seconds",
    async (kind) => {
      const { socket, closed } = await openPair();
      for (let count = 1; count <= 61; count++) socket[kind]();
      expect(await closed).toEqual({ code: 1008, reason: "too many frames" });
    },
  );
});

describe("closing", () => {
  test("passes codes and reasons both ways", async () => {
    for (const [code, reason] of [
      [1000, "bye"],
      [4000, "ping timeout"],
      [1012, ""],
    ] as const) {
      const down = await openPair();
      down.upstream.close(code, reason);
      expect(await down.closed).toEqual({ code, reason });
      const up = await openPair();
      const seen = closeOf(up.upstream);
      up.socket.close(code, reason);
      expect(await seen).toEqual({ code, reason });
    }
  });

  test("turns a close without a code and a cut connection into a plain close on the other side", async () => {
    for (const end of ["close", "terminate"] as const) {
      const down = await openPair();
      down.upstream[end]();
      expect((await down.closed).code).toBe(1005);
      const up = await openPair();
      const seen = closeOf(up.upstream);
      up.socket[end]();
      expect((await seen).code).toBe(1005);
    }
  });

  test("closes the connection to Mattermost on a client's protocol error", async () => {
    const { socket, upstream } = await openPair();
    const seen = closeOf(upstream);
    // @ts-expect-error: the raw connection, to break the protocol on it
    socket._socket.write(Buffer.from([0xff, 0xff]));
    await seen;
  });

  test("cuts a client that never answers the close frame", async () => {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.on("data", () => undefined);
    const gone = new Promise((resolve) => socket.on("close", resolve));
    socket.write(
      `GET /api/chat/websocket?token=${alicePat} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await soon(() => expect(mattermost.sockets.size).toBe(1));
    for (const upstream of mattermost.sockets) upstream.close(1000);
    await gone;
  });

  test("uses 1012 on shutdown", async () => {
    const clients = await Promise.all([openPair(), openWebsocket(gateway.url, "", bearer)]);
    await gateway.services.sockets.closeAll();
    for (const { closed } of clients) expect((await closed).code).toBe(1012);
  });
});

describe("slow or dead peers", () => {
  let quick: Awaited<ReturnType<typeof startPair>>;
  beforeAll(async () => {
    quick = await startPair(createHeartbeat(1000));
  });
  afterAll(async () => {
    await quick.gateway.close();
    await quick.mattermost.close();
  });

  test("a client that answers no ping is cut, and its upstream closed", async () => {
    const { upstream } = await openPair({ autoPong: false }, quick);
    await closeOf(upstream);
  });

  test("a Mattermost that answers no ping is cut, and its client closed", async () => {
    const { upstream, closed } = await openPair({}, quick);
    // @ts-expect-error: a half-open connection: nothing is read, and nothing answered
    upstream._socket.pause();
    expect((await closed).code).toBe(1005);
    upstream.terminate();
  });

  test("a quiet connection stays open", async () => {
    const { socket, messages } = await openPair({}, quick);
    let pings = 0;
    socket.on("ping", () => pings++);
    await soon(() => expect(pings).toBeGreaterThan(3));
    socket.send(JSON.stringify({ seq: 1, action: "ping" }));
    await soon(() => expect(messages).toHaveLength(2));
  });

  test("a client that doesn't read stalls its upstream, not the process", async () => {
    const slow = await openPair();
    const other = await openPair();
    slow.socket.pause();
    const chunk = Buffer.alloc(1024 * 1024, "x");
    let wasHeldBack = false;
    for (let sent = 0; sent < 100 && !wasHeldBack; sent++) {
      slow.upstream.send(chunk);
      await new Promise((resolve) => setImmediate(resolve));
      wasHeldBack = slow.upstream.bufferedAmount > 20 * chunk.byteLength;
    }
    expect(wasHeldBack).toBe(true);
    other.socket.send(JSON.stringify({ seq: 1, action: "ping" }));
    await soon(() => expect(other.messages).toHaveLength(2));
    slow.upstream.terminate();
  });
});

describe("a Mattermost crash", () => {
  test("closes clients, returns 502 for new ones and leaves the process serving", async () => {
    const pair = await startPair();
    const { closed } = await openPair({}, pair);
    await pair.mattermost.close();
    await closed;
    await expect(openWebsocket(pair.gateway.url, "", bearer)).rejects.toMatchObject({
      status: 502,
      body: { code: "backend_unreachable" },
    });
    expect((await fetch(`${pair.gateway.url}/api/health/live`)).status).toBe(200);
    await pair.gateway.close();
  });
});

describe("a shutdown", () => {
  test("accepts no more websockets, not even those with a pending handshake", async () => {
    const another = await startScriptedMattermost();
    const serving = await startGateway({ settings: { CHAT_BASE_URL: another.url } });
    let finish = () => undefined as unknown;
    another.script.onConnection = (socket, incoming) => {
      finish = () => playMattermost(socket, incoming);
    };
    const opening = openWebsocket(serving.url, "", bearer);
    const refused = expect(opening).rejects.toMatchObject({ status: 503, body: { code: "overloaded" } });
    await soon(() => expect(another.sockets.size).toBe(1));
    serving.services.http.isDraining = true;
    await serving.services.sockets.closeAll();
    finish();
    await refused;
    await serving.close();
    await another.close();
  });
});
