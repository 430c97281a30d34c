import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHeartbeat } from "../../lib/chat/websocket/heartbeat.ts";
import { soon } from "../harness/soon.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";
import {
  alicePat,
  type ScriptedMattermost,
  startScriptedMattermost,
} from "../harness/start-scripted-mattermost.ts";
import { openWebsocket, type Refusal, refusalOf } from "./open-websocket.ts";

let mattermost: ScriptedMattermost;
let gateway: Gateway;

// The limits count per gateway.
beforeEach(async () => {
  mattermost = await startScriptedMattermost();
  // No waiting handshake times out before all have started, however busy the machine is.
  gateway = await startGateway(
    { settings: { CHAT_BASE_URL: mattermost.url, RATE_LIMITS: "on", TRUST_PROXY: "1" } },
    { handshakeTimeoutMs: 80_000, heartbeat: createHeartbeat(30_000) },
  );
});
afterEach(async () => {
  for (const socket of mattermost.sockets) socket.terminate();
  await gateway.close();
  await mattermost.close();
});

const open = (address: string, token = alicePat) =>
  openWebsocket(gateway.url, `?token=${token}`, { headers: { "x-forwarded-for": address } });
/** Tries invalid tokens from these addresses in turn until one is rate-limited, at most 600 times. */
async function knock(...addresses: string[]): Promise<{ unauthorized: number; told?: Refusal }> {
  let unauthorized = 0;
  for (let sent = 0; sent < 600; sent += 20) {
    const tries = Array.from({ length: 20 }, (_, index) =>
      open(addresses[(sent + index) % addresses.length] ?? "", "malformed").then(
        () => Promise.reject(new Error("a bad token opened a websocket")),
        (error: Refusal) => error,
      ),
    );
    const refusals = await Promise.all(tries);
    unauthorized += refusals.filter(({ status }) => status === 401).length;
    const told = refusals.find(({ status }) => status === 429);
    if (told) return { unauthorized, told };
  }
  return { unauthorized };
}

/** Requests an upgrade, and collects its answer without waiting for it. */
function ask(address: string): { socket: Socket; status(): string } {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  socket.on("error", () => undefined);
  socket.write(
    `GET /api/chat/websocket?token=${"x".repeat(26)} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n` +
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  return { socket, status: () => answer.slice(9, 12) };
}

describe("handshakes from one client address", () => {
  test("wait for Mattermost, up to 100 at once; further ones get 429, and other clients connect", async () => {
    mattermost.script.onUpgrade = ({ headers }) => headers.authorization !== `Bearer ${alicePat}`;
    const before = mattermost.upgrades.length;
    // Fewer than the 511 connections that a busy server lets wait, because the kernel drops further ones.
    const asked = Array.from({ length: 450 }, () => ask("192.0.2.1"));
    await soon(() => expect(asked.filter(({ status }) => status() === "429")).toHaveLength(350));
    expect(mattermost.upgrades.length - before).toBe(100);
    await expect(open("192.0.2.1")).rejects.toMatchObject({
      status: 429,
      headers: { "retry-after": "1", "ratelimit-policy": '"websocket-handshakes";q=100' },
    });
    const other = await open("192.0.2.2");
    other.socket.terminate();

    const waiting = asked.filter(({ status }) => status() === "");
    for (const { socket } of waiting) socket.destroy();
    await Promise.all(waiting.map(({ socket }) => socket.closed || once(socket, "close")));
    const free = await soon(() => open("192.0.2.1"));
    free.socket.terminate();
  });

  test("get 429 with the time to wait after 300 refusals a minute, unlike those of other clients", async () => {
    const { unauthorized, told } = await knock("192.0.2.3");
    expect(unauthorized).toBeGreaterThanOrEqual(300);
    expect([told?.status, told?.body.code]).toEqual([429, "rate_limited"]);
    expect(told?.headers["retry-after"]).toMatch(/^\d+$/);
    expect(told?.headers["ratelimit-policy"]).toBe('"websocket-refusals";q=300;w=60');
    expect(await refusalOf(open("192.0.2.4", "malformed"))).toEqual([401, "unauthorized"]);
  });

  test("count together for all addresses of an IPv6 network", async () => {
    const { told } = await knock("2001:db8:0:7::1", "2001:db8:0:7::2", "2001:db8:0:7:1:2:3:4");
    expect(told?.status).toBe(429);
    expect(await refusalOf(open("2001:db8:0:8::1", "malformed"))).toEqual([401, "unauthorized"]);
  });

  test("don't count as refusals when they succeed", async () => {
    for (let round = 0; round < 31; round++) {
      const opened = await Promise.all(Array.from({ length: 10 }, () => open("192.0.2.5")));
      for (const { socket } of opened) socket.close();
      await Promise.all(opened.map(({ closed }) => closed));
    }
    (await open("192.0.2.5")).socket.terminate();
  });
});
