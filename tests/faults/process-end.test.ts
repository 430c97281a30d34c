import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleOf } from "../harness/bundled-processes.ts";
import { requestBootstrap } from "../harness/start-chat.ts";
import { type EndedCommand, type RunningServer, startCommand } from "../harness/start-command.ts";
import { startServer } from "../harness/start-server.ts";
import { throwsOnSignal } from "../harness/throw-on-signal.ts";
import { openWebsocket } from "../websocket/open-websocket.ts";

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "process-end-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

type Options = { expectsUncaught?: boolean };

const startApp = (settings: Record<string, string> = {}, options: Options = {}) =>
  startServer(["--sandbox"], { PORT: "0", DATA_DIR: join(dataDir, "app"), ...settings }, options);

const startFacilitator = (settings: Record<string, string> = {}, options: Options = {}) =>
  startCommand(process.execPath, [bundleOf("lib/cli/facilitator.ts")], {
    settings: {
      NODE_ENV: "test",
      PORT: "0",
      HOST: "127.0.0.1",
      HIVE_NODES: "http://127.0.0.1:9",
      DATA_DIR: join(dataDir, "facilitator"),
      ...settings,
    },
    ...options,
  });

async function started(start: Promise<RunningServer | EndedCommand>): Promise<RunningServer> {
  const server = await start;
  if (!("url" in server)) throw new Error(`ended with ${server.code}: ${server.output}`);
  return server;
}

/** Opens a connection that collects its data. */
async function dial(url: string): Promise<{ socket: Socket; answer(): string; closed: Promise<unknown> }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  await once(socket, "connect");
  return { socket, answer: () => text, closed };
}

/** Returns a request whose body lacks its last byte. */
const unfinished = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`;

const commands = [
  { name: "the app", start: startApp, bodyPath: "/api/auth/challenge", health: "/api/health/live" },
  { name: "the facilitator alone", start: startFacilitator, bodyPath: "/verify", health: "/supported" },
];

describe.each(commands)("$name", ({ start, bodyPath, health }) => {
  test("logs an uncaught exception, answers pending requests and exits with 1", async () => {
    const server = await started(start(throwsOnSignal, { expectsUncaught: true }));
    const inFlight = await dial(server.url);
    inFlight.socket.write(unfinished(bodyPath));
    // An answer to a later request shows that the one in flight has arrived.
    expect((await fetch(server.url + health)).status).toBe(200);
    server.child.kill("SIGUSR2");
    await expect.poll(server.output).toContain('"msg":"uncaught exception"');
    inFlight.socket.write("}");
    await inFlight.closed;
    expect(inFlight.answer()).toMatch(/^HTTP\/1.1 400 /);
    expect(await server.exited).toBe(1);
    expect(server.output()).toContain("planted");
  });

  test("finishes a shutdown despite an uncaught exception, and exits with 1", async () => {
    const server = await started(start(throwsOnSignal, { expectsUncaught: true }));
    const silent = await dial(server.url);
    const inFlight = await dial(server.url);
    inFlight.socket.write(unfinished(bodyPath));
    expect((await fetch(server.url + health)).status).toBe(200);
    server.child.kill("SIGTERM");
    await silent.closed;
    server.child.kill("SIGUSR2");
    await expect.poll(server.output).toContain('"msg":"uncaught exception"');
    inFlight.socket.write("}");
    await inFlight.closed;
    expect(inFlight.answer()).toMatch(/^HTTP\/1.1 400 /);
    expect(await server.exited).toBe(1);
  });

  test("closes idle connections on SIGTERM while it waits for a pending request", async () => {
    const server = await started(start());
    const silent = await dial(server.url);
    const inFlight = await dial(server.url);
    inFlight.socket.write(unfinished(bodyPath));
    expect((await fetch(server.url + health)).status).toBe(200);
    server.child.kill("SIGTERM");
    await silent.closed;
    inFlight.socket.write("}");
    await inFlight.closed;
    expect(inFlight.answer()).toMatch(/^HTTP\/1.1 400 /);
    expect(await server.exited).toBe(0);
  });
});

test("the app closes its websockets as for a restart when an exception ends it", async () => {
  const server = await started(startApp(throwsOnSignal, { expectsUncaught: true }));
  const { body } = await requestBootstrap(server.url, "alice", {});
  const client = await openWebsocket(server.url, `?token=${body.token}`);
  server.child.kill("SIGUSR2");
  expect(await client.closed).toEqual({ code: 1012, reason: "restarting" });
  expect(await server.exited).toBe(1);
});
