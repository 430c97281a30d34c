import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundleOf } from "../harness/bundled-processes.ts";
import { patRoutes } from "../harness/chat-routes.ts";
import { checkAnswer } from "../harness/check-answer.ts";
import { freePort } from "../harness/free-port.ts";
import { signPayment } from "../harness/sign-payment.ts";
import { type Chat, requestBootstrap, startChat } from "../harness/start-chat.ts";
import { type Gateway, startGateway } from "../harness/start-gateway.ts";
import { openWebsocket, refusalOf } from "../websocket/open-websocket.ts";

let chat: Chat;
let folder: string;
/** A file in place of the data folder. Once it is gone, the folder can be created. */
let obstacle: string;
let dataDir: string;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "unopenable-"));
  obstacle = join(folder, "obstacle");
  dataDir = join(obstacle, "data");
  await writeFile(obstacle, "");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Sent = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

async function send(url: string, { method, path, body: sent, headers }: Sent) {
  const response = await fetch(url + path, {
    method,
    headers: { ...(sent !== undefined && { "content-type": "application/json" }), ...headers },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
  const body = (await response.json()) as { code?: string };
  return { status: response.status, body, headers: response.headers };
}

const account = { username: "alice" };
const refreshToken = "r".repeat(40);
const openRoutes: Sent[] = [
  { method: "POST", path: "/api/auth/challenge", body: account },
  { method: "POST", path: "/api/auth/login", body: { ...account, message: "m", signature: "0".repeat(130) } },
  { method: "POST", path: "/api/auth/refresh", body: { refreshToken } },
  { method: "GET", path: "/api/auth/session" },
  { method: "GET", path: "/.well-known/jwks.json" },
  { method: "GET", path: `/api/demo/tips?post=${"p".repeat(26)}` },
  { method: "POST", path: "/api/demo/tips?to=bob&amount=0.010" },
  { method: "GET", path: "/api/demo/articles/three-seconds-and-no-fee" },
];

describe("a gateway whose store can't be opened", () => {
  let gateway: Gateway;
  beforeEach(async () => {
    const X402_NETWORK = "chain:sandbox";
    gateway = await startGateway({ settings: { ...chat.settings, X402_NETWORK, DATA_DIR: dataDir } });
  });
  afterEach(() => gateway.close());

  const expectDegraded = async (sent: Sent) => {
    const { status, body, headers } = await send(gateway.url, sent);
    const place = `${sent.method} ${sent.path}`;
    expect([status, body.code], place).toEqual([503, "degraded"]);
    expect(Number(headers.get("retry-after")), place).toBeGreaterThan(0);
    checkAnswer(sent.method, gateway.url + sent.path, status, body);
  };

  test("returns 503 degraded with Retry-After on every authenticated chat route", async () => {
    const authorization = `Bearer ${"a".repeat(26)}`;
    for (const route of patRoutes)
      await expectDegraded({ ...route, path: `/api/chat${route.path}`, headers: { authorization } });
  });

  test("returns 503 degraded for a websocket", async () => {
    const opening = openWebsocket(gateway.url, `?token=${chat.settings.CHAT_ADMIN_TOKEN}`);
    expect(await refusalOf(opening)).toEqual([503, "degraded"]);
  });

  test("returns 503 degraded for a logout, and leaves the token valid", async () => {
    const pat = chat.settings.CHAT_ADMIN_TOKEN ?? "";
    const headers = { authorization: `Bearer ${pat}` };
    await expectDegraded({ method: "POST", path: "/api/chat/logout", headers });
    expect((await chat.ask("GET", "/users/me", undefined, pat)).status).toBe(200);
  });

  test("returns 503 degraded with Retry-After on the routes for signing in and paying", async () => {
    for (const route of openRoutes) await expectDegraded(route);
    const { status, body, headers } = await requestBootstrap(gateway.url, "alice");
    expect([status, body]).toMatchObject([503, { code: "degraded" }]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("returns 503 degraded for payments, and names the store in the facilitator's health", async () => {
    const { request } = await signPayment(chat.chain);
    for (const path of ["/api/x402/verify", "/api/x402/settle"])
      await expectDegraded({ method: "POST", path, body: request });
    const health = await send(gateway.url, { method: "GET", path: "/api/x402/health" });
    expect([health.status, health.body]).toMatchObject([503, { status: "degraded", failing: ["store"] }]);
  });

  test("is live but not ready, and names the store as the only reason", async () => {
    expect((await send(gateway.url, { method: "GET", path: "/api/health/live" })).status).toBe(200);
    await chat.chain.produceBlocks();
    const { status, body } = await send(gateway.url, { method: "GET", path: "/api/health/ready" });
    expect([status, body]).toMatchObject([
      503,
      {
        status: "unavailable",
        parts: { store: { ok: false }, mattermost: { ok: true }, chain: { ok: true } },
      },
    ]);
  });

  test("recovers on its own once the store can be opened", async () => {
    expect((await requestBootstrap(gateway.url, "alice")).status).toBe(503);
    await rm(obstacle);
    await expect.poll(async () => (await requestBootstrap(gateway.url, "alice")).status).toBe(200);
  });
});

/** Starts a command of the product, and collects its output. */
function startCommand(args: readonly string[], settings: Record<string, string>) {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, args, {
    env: { NODE_ENV: "production", PATH, HOME, HOST: "127.0.0.1", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  return { child, output: () => output };
}

describe.each([
  {
    name: "the server",
    args: ["dist/server.js"],
    line: "Hivegate serves",
    alive: "/api/health/live",
    ready: "/api/health/ready",
  },
  {
    name: "the facilitator alone",
    args: [bundleOf("lib/cli/facilitator.ts")],
    line: "Facilitator for",
    alive: "/supported",
    ready: "/health",
  },
])("$name on a store that can't be opened", ({ args, line, alive, ready }) => {
  let running: { child: ChildProcess; output: () => string };
  let url: string;
  const start = async (dataDir: string) => {
    const PORT = String(await freePort());
    url = `http://127.0.0.1:${PORT}`;
    const SESSION_SECRET = "s".repeat(32);
    const X402_NETWORK = "chain:sandbox";
    running = startCommand(args, { ...chat.settings, SESSION_SECRET, X402_NETWORK, PORT, DATA_DIR: dataDir });
    const isAlive = () =>
      fetch(url + alive).then(
        ({ status }) => status,
        () => null,
      );
    await expect.poll(isAlive).toBe(200);
  };
  afterEach(async () => {
    const exited = once(running.child, "exit");
    running.child.kill("SIGKILL");
    await exited;
  });

  test("warns with advice, returns 503, and does not report that it serves", async () => {
    await start("/proc/hivegate");
    await expect.poll(running.output).toContain("DATA_DIR");
    expect((await fetch(url + ready)).status).toBe(503);
    expect(running.output()).not.toContain(line);
    expect(running.output()).not.toMatch(/^ +at /m);
  });

  test("reports that it serves, and serves, as soon as the store is open", async () => {
    await start(dataDir);
    await expect.poll(running.output).toContain("DATA_DIR");
    await rm(obstacle);
    await expect.poll(running.output).toContain(line);
    await chat.chain.produceBlocks();
    await expect.poll(async () => (await fetch(url + ready)).status).toBe(200);
  });
});
