import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { requestBootstrap } from "../harness/start-chat.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";
import { openWebsocket } from "../websocket/open-websocket.ts";

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "server-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const startOnSandbox = async (settings: Record<string, string> = {}): Promise<RunningServer> => {
  const server = await startServer(["--sandbox"], {
    PORT: "0",
    DATA_DIR: dataDir,
    LOG_LEVEL: "warn",
    ...settings,
  });
  if ("code" in server) throw new Error(`ended with ${server.code}: ${server.output}`);
  return server;
};

describe("the server without settings", () => {
  test("refuses to start with one message that lists every fault and the remedy, and exits with 78", async () => {
    const ended = await startServer([], { PORT: "99999999" });
    if (!("code" in ended)) throw new Error("it started");
    expect(ended.code).toBe(78);
    for (const name of [
      "CHAT_BASE_URL",
      "CHAT_ADMIN_TOKEN",
      "CHAT_TEAM_ID",
      "SESSION_SECRET",
      "PORT",
      "--sandbox",
    ])
      expect(ended.output).toContain(name);
  });
});

describe("the server on a sandbox with wrong settings", () => {
  afterEach(() => rm(refused(), { recursive: true, force: true }));

  const refused = () => join(dataDir, "refused");
  const refusalOf = async (args: string[], settings: Record<string, string>) => {
    const ended = await startServer(args, { DATA_DIR: refused(), PORT: "0", ...settings });
    if (!("code" in ended)) throw new Error("it started");
    return ended;
  };

  test("refuses to start with one message that lists every fault, and stores nothing", async () => {
    const settings = { HIVE_CHAIN_ID: "zz", LOG_LEVEL: "loud", CHAT_BASE_URL: "http://127.0.0.1:9/api/v4" };
    const { code, output } = await refusalOf(["--sandbox"], settings);
    expect(code).toBe(78);
    expect(output.match(/^ {2}\w+(?=: )/gm)?.map((line) => line.trim())).toEqual([
      "HIVE_CHAIN_ID",
      "LOG_LEVEL",
      "CHAT_ADMIN_TOKEN",
      "CHAT_TEAM_ID",
    ]);
    expect(existsSync(refused())).toBe(false);
  });

  test.each<[what: string, args: string[], settings: Record<string, string>, problem: string]>([
    ["another machine's address", ["--sandbox"], { HOST: "192.0.2.1" }, "EADDRNOTAVAIL"],
    ["a data folder that is a file", ["--sandbox"], { DATA_DIR: "package.json" }, "ENOTDIR"],
  ])("reports on one line, without internals: %s", async (_, args, settings, problem) => {
    const { code, output } = await refusalOf(args, settings);
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^Hivegate can't start: .*${problem}`, "m"));
    expect(output).not.toMatch(/^ +at /m);
  });
});

describe("the server on the sandbox", () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startOnSandbox();
  });
  afterAll(async () => {
    server.child.kill("SIGKILL");
    await server.exited;
  });

  test("serves the home page with a new nonce on each request, and the API", async () => {
    const page = await fetch(server.url);
    const policy = page.headers.get("content-security-policy") ?? "";
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "none";
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(`nonce="${nonce}"`);
    expect(policy).not.toContain("unsafe-eval");
    expect((await fetch(server.url)).headers.get("content-security-policy")).not.toBe(policy);
    expect(page.headers.get("x-powered-by")).toBeNull();
    expect((await fetch(`${server.url}/api/health/ready`)).status).toBe(200);
    const keys = await fetch(`${server.url}/.well-known/jwks.json`);
    expect(await keys.json()).toMatchObject({ keys: expect.any(Array) });
  });

  test("adds a request id to pages, and keeps a well-formed one from the caller", async () => {
    const numberOf = async (given?: string) =>
      (await fetch(server.url, { headers: given ? { "x-request-id": given } : {} })).headers.get(
        "x-request-id",
      );
    expect(await numberOf()).toMatch(/^[\da-f-]{36}$/);
    expect(await numberOf("a-page-of-mine")).toBe("a-page-of-mine");
    expect(await numberOf("not well formed")).toMatch(/^[\da-f-]{36}$/);
  });

  test("keeps websockets open while it serves pages, because no second upgrade listener answers", async () => {
    await fetch(server.url);
    const { body } = await requestBootstrap(server.url, "alice", {});
    const { socket } = await openWebsocket(server.url, `?token=${body.token}`);
    await fetch(server.url);
    await fetch(`${server.url}/api/chat/websocket`);
    const pong = once(socket, "pong");
    socket.ping();
    await pong;
    socket.close();
  });

  test("survives upgrade requests whose connections are reset", async () => {
    const port = Number(new URL(server.url).port);
    const lines = (target: string) =>
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
    const targets = ["//", "http://[", "/%zz", `/api/chat/websocket?token=${"z".repeat(26)}`, "/_next/hmr"];
    for (let round = 0; round < 4; round++)
      for (const target of targets) {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => undefined);
        await once(socket, "connect");
        socket.write(lines(target));
        socket.resetAndDestroy();
      }
    expect((await fetch(`${server.url}/api/health/live`)).status).toBe(200);
  });

  test("makes a second server on its data folder exit with a message", async () => {
    const ended = await startServer(["--sandbox"], { PORT: "0", DATA_DIR: dataDir });
    if (!("code" in ended)) {
      ended.child.kill("SIGKILL");
      throw new Error("it started");
    }
    expect(ended).toMatchObject({ code: 78, output: expect.stringMatching(/DATA_DIR: .* in use/) });
  });

  test("makes a second server on its port exit with a message", async () => {
    const ended = await startServer(["--sandbox"], {
      PORT: new URL(server.url).port,
      DATA_DIR: join(dataDir, "second"),
    });
    if (!("code" in ended)) throw new Error("it started");
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(/EADDRINUSE.* Stop the program that has the port, or set PORT to another\./);
  });
});

describe("shutdown", () => {
  test("closes websockets with 1012, completes a pending request, refuses others and exits with 0", async () => {
    const server = await startOnSandbox();
    const { body } = await requestBootstrap(server.url, "bob", {});
    const client = await openWebsocket(server.url, `?token=${body.token}`);
    const text = JSON.stringify({ username: "alice" });
    const slow = connect(Number(new URL(server.url).port), "127.0.0.1");
    let answer = "";
    slow.on("data", (chunk) => {
      answer += chunk;
    });
    slow.write(
      `POST /api/auth/challenge HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The request arrives before the signal.
    await expect.poll(() => answer).toMatch(/^HTTP\/1.1 100 /);
    slow.write("{");
    server.child.kill("SIGTERM");
    expect(await client.closed).toEqual({ code: 1012, reason: "restarting" });
    slow.write(`${text.slice(1)}GET /api/health/ready HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(slow, "close");
    expect(answer).toMatch(/^HTTP\/1.1 100 .*HTTP\/1.1 200 .*HTTP\/1.1 503 .*"draining"/s);
    expect(await server.exited).toBe(0);
  });

  test("ends at once on a second signal", async () => {
    const server = await startOnSandbox();
    const stuck = connect(Number(new URL(server.url).port), "127.0.0.1");
    stuck.on("error", () => undefined);
    stuck.write("POST /api/auth/challenge HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    await fetch(`${server.url}/api/health/live`);
    server.child.kill("SIGTERM");
    const isClosed = () =>
      fetch(`${server.url}/api/health/live`).then(
        () => false,
        () => true,
      );
    while (!(await isClosed())) await new Promise((resolve) => setImmediate(resolve));
    server.child.kill("SIGTERM");
    expect(await server.exited).toBe(1);
  });
});
