import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { measureIdle } from "./idle-websockets.ts";
import { measureBesideSlow, measureSlowCost } from "./slow-readers.ts";
import { measureStorm } from "./storm.ts";

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

function sendThree(socket: WebSocket): void {
  for (let sent = 0; sent < 3; sent++) socket.send("x");
}

/** Starts a backend that greets websockets, and reports `open` of them, one number after the other and then the last. It refuses those that `refuses` names by number. */
async function startBackend({
  refuses = () => false,
  open = [0],
  cutsAtBurst = false,
}: {
  refuses?: (number: number) => boolean;
  open?: readonly [number, ...number[]];
  cutsAtBurst?: boolean;
}) {
  const sockets = new Set<WebSocket>();
  let reported = 0;
  server = createServer(({ url = "" }, outgoing) => {
    if (url.startsWith("/burst"))
      for (const socket of sockets)
        if (cutsAtBurst) socket.terminate();
        else sendThree(socket);
    if (url === "/open") outgoing.end(String(open[Math.min(reported++, open.length - 1)]));
    else outgoing.end();
  });
  let asked = 0;
  const acceptor = new WebSocketServer({ server, verifyClient: () => !refuses(asked++) });
  acceptor.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.send("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `ws://127.0.0.1:${port}`, backendUrl: `http://127.0.0.1:${port}`, pid: process.pid };
}

describe("a storm", () => {
  test("reports the share of websockets that were refused", async () => {
    const backend = await startBackend({ refuses: (number) => number % 4 === 0 });
    const { refusedPercent, perSecond } = await measureStorm(backend, { perSecond: 200, seconds: 0.1 });
    expect(refusedPercent).toBe(25);
    expect(perSecond).toBeGreaterThan(0);
  });

  test("is not measured if all were refused", async () => {
    const backend = await startBackend({ refuses: () => true });
    const storm = measureStorm(backend, { perSecond: 200, seconds: 0.1 });
    await expect(storm).rejects.toThrow("refused every websocket");
  });
});

describe("idle websockets", () => {
  test("are measured once the server has closed them at the backend, too", async () => {
    const backend = await startBackend({ open: [2, 1, 0] });
    expect(await measureIdle(backend, { clients: 2, idleMs: 1 })).toEqual({
      kbPerConnection: expect.any(Number),
      percentOfCore: expect.any(Number),
    });
  });

  test("are not measured if the server keeps one open at the backend", async () => {
    const backend = await startBackend({ open: [1] });
    const measured = measureIdle(backend, { clients: 2, idleMs: 1, closeLimitMs: 0 });
    await expect(measured).rejects.toThrow("keeps websockets open");
  });
});

describe("clients that never read", () => {
  const given = { readers: 2, silent: 3, frames: { count: 3, characters: 1 } };

  test("are opened next to those that read, whose frames alone count", async () => {
    const backend = await startBackend({});
    const { perSecond } = await measureBesideSlow(backend, given);
    expect(perSecond).toBeGreaterThan(0);
  });

  test("are not measured if a websocket that reads is closed before its last frame", async () => {
    const measured = measureBesideSlow(await startBackend({ cutsAtBurst: true }), given);
    await expect(measured).rejects.toThrow("closed a websocket before its last frame");
  });

  test.each([
    ["how long a server took to cut them", 0, expect.any(Number)],
    ["null for a server that keeps them", 3, null],
  ])("are reported with %s", async (_, open, cutAfterSeconds) => {
    const cost = await measureSlowCost(await startBackend({ open: [open] }), given, 0);
    expect(cost).toEqual({ kbPerSilent: expect.any(Number), cutAfterSeconds });
  });
});
