import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleOf } from "../../harness/bundled-processes.ts";
import { signPayment } from "../../harness/sign-payment.ts";
import { soon } from "../../harness/soon.ts";
import { type RunningServer, startCommand } from "../../harness/start-command.ts";
import { startRedis, type TestRedis } from "../../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let redis: TestRedis;
let dataDir: string;
let facilitator: RunningServer;
let url: string;
const metricsToken = "a-token-for-metrics";

const run = (settings: Record<string, string>) =>
  startCommand(process.execPath, [bundleOf("lib/cli/facilitator.ts")], {
    settings: { NODE_ENV: "test", ...settings },
  });

async function start(): Promise<RunningServer> {
  const started = await run({
    PORT: "0",
    HOST: "127.0.0.1",
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
    X402_NETWORK: "chain:sandbox",
    REDIS_URL: redis.url,
    DATA_DIR: dataDir,
    TRUST_PROXY: "1",
    METRICS_TOKEN: metricsToken,
  });
  if (!("url" in started)) throw new Error(started.output);
  return started;
}

beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  redis = await startRedis();
  dataDir = await mkdtemp(join(tmpdir(), "standalone-"));
  facilitator = await start();
  url = facilitator.url;
});
afterAll(async () => {
  facilitator?.child.kill("SIGKILL");
  await redis?.close();
  await chain?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

type Line = Record<string, unknown>;
const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);

describe("npm run facilitator", () => {
  test("verifies and settles at /, and stores its payments in REDIS_URL", async () => {
    const { request, txId } = await signPayment(chain);
    expect(await (await post("/verify", request)).json()).toEqual({ isValid: true, payer: "alice" });
    expect(await (await post("/settle", request)).json()).toMatchObject({ success: true, txId });
    const client = await createClient({ url: redis.url }).connect();
    const keys = await client.keys("*");
    client.destroy();
    expect(keys.some((key) => key.endsWith(`x402:payment:${txId}`))).toBe(true);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test.each(["/verify", "/settle"])(
    "returns the caller's request id when %s refuses a request",
    async (path) => {
      const response = await post(path, {}, { "x-request-id": "asked-by-a-test" });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "invalid_request", requestId: "asked-by-a-test" });
    },
  );

  test("serves /health, /supported and the catalogue", async () => {
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: "ok", store: "ok" });
    expect(await (await fetch(`${url}/supported`)).json()).toMatchObject({ signers: {} });
    const page = await fetch(`${url}/discovery/resources?limit=1`);
    expect(await page.json()).toMatchObject({ x402Version: 2, items: [], pagination: { limit: 1 } });
    const found = await fetch(`${url}/discovery/search?query=weather`);
    expect(await found.json()).toMatchObject({ resources: [] });
  });

  test.each([
    [404, "GET", "/nothing"],
    [405, "GET", "/verify"],
    [405, "DELETE", "/settle"],
  ])("returns %i as JSON without a stack for %s %s", async (status, method, path) => {
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.headers.get("x-powered-by")).toBeNull();
    expect(Object.keys((await response.json()) as object).sort()).toEqual(["code", "error", "requestId"]);
  });

  test.each(["/verify", "/settle", "/health", "/supported", "/discovery/resources"])(
    "lets pages of any origin call %s",
    async (path) => {
      const asked = { origin: "https://shop.example", "access-control-request-method": "POST" };
      const response = await fetch(url + path, { method: "OPTIONS", headers: asked });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-allow-headers")).toMatch(/content-type.*idempotency-key/);
      const answer = await fetch(`${url}/supported`, { headers: { origin: "https://shop.example" } });
      expect(answer.headers.get("access-control-expose-headers")).toContain("retry-after");
    },
  );

  test("serves payment counts to holders of METRICS_TOKEN", async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const headers = { authorization: `Bearer ${metricsToken}` };
    const series = [
      'hivegate_payment_answers_total{call="settle",outcome="ok"}',
      'hivegate_payment_events_total{event="settled"}',
    ];
    const counts = async () => {
      const lines = (await (await fetch(`${url}/metrics`, { headers })).text()).split("\n");
      return series.map((name) =>
        Number(
          lines
            .find((line) => line.startsWith(name))
            ?.split(" ")
            .at(-1) ?? 0,
        ),
      );
    };
    const before = await counts();
    const { request } = await signPayment(chain);
    expect(await (await post("/settle", request)).json()).toMatchObject({ success: true });
    expect(await counts()).toEqual(before.map((count) => count + 1));
  });

  test("counts callers behind the operator's proxy separately", async () => {
    const remaining = async (address: string) => {
      const response = await post("/verify", {}, { "x-forwarded-for": `10.0.0.1, ${address}` });
      return Number(/r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
    };
    const first = await remaining("192.0.2.1");
    const second = await remaining("192.0.2.2");
    expect(second).toBe(first);
    const together = await Promise.all(Array.from({ length: 20 }, () => remaining("192.0.2.3")));
    expect(Math.min(...together)).toBeLessThan(first);
  });

  test("returns 429 with Retry-After beyond the quota", async () => {
    const headers = { "x-forwarded-for": "192.0.2.9" };
    let refused: Response | undefined;
    for (let sent = 0; sent < 3000 && !refused; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => post("/verify", {}, headers)));
      refused = answers.find(({ status }) => status === 429);
      await Promise.all(answers.filter((answer) => answer !== refused).map((answer) => answer.text()));
    }
    expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await refused?.json()).toMatchObject({ code: "rate_limited" });
  });

  test("logs no signature, Redis address, store key or query", async () => {
    await fetch(`${url}/health?token=geheim`);
    const { request, txId } = await signPayment(chain);
    await (await post("/settle", request)).text();
    const ofPayment = () => linesOf(facilitator.output()).filter((line) => line.txId === txId);
    await expect.poll(() => ofPayment().map(({ msg }) => msg)).toContain("payment");
    const output = facilitator.output();
    for (const secret of [redis.url, "geheim", "signatures", "x402:payment"])
      expect(output).not.toContain(secret);
  });

  test("logs refusals with their reason, and with payer and transaction if it could read them", async () => {
    const poor = await signPayment(chain, { from: "dave" });
    const elsewhere = await signPayment(chain);
    elsewhere.request.paymentRequirements.payTo = "bob";
    const caller = { "x-forwarded-for": "192.0.2.20" };
    await (await post("/verify", poor.request, caller)).text();
    await (await post("/settle", poor.request, caller)).text();
    await (await post("/settle", elsewhere.request, caller)).text();
    await (await post("/settle", {}, caller)).text();
    const refusals = () =>
      linesOf(facilitator.output())
        .filter(({ msg }) => msg === "payment refused")
        .map(({ call, reason, payer, txId }) => ({ call, reason, payer, txId }));
    const ofDave = { reason: "insufficient_funds", payer: "dave", txId: poor.txId };
    await expect.poll(refusals).toEqual(
      expect.arrayContaining([
        { call: "verify", ...ofDave },
        { call: "settle", ...ofDave },
        { call: "settle", reason: "recipient_mismatch", payer: "alice", txId: elsewhere.txId },
        { call: "settle", reason: "invalid_request" },
      ]),
    );
  });

  test("logs and counts no error when a client drops its connection", async () => {
    const before = facilitator.output().length;
    /** Returns the numbers of /settle requests by status. */
    const settled = async () => {
      const headers = { authorization: `Bearer ${metricsToken}` };
      const text = await (await fetch(`${url}/metrics`, { headers })).text();
      const lines = text.matchAll(/duration_seconds_count\{.*"\/settle".*status="(\d+)"\} (\d+)/g);
      return Object.fromEntries([...lines].map(([, status, count]) => [status, Number(count)]));
    };
    const { "499": alreadyGone = 0 } = await settled();
    const { port } = new URL(url);
    const head = ["POST /settle HTTP/1.1", "host: localhost", "content-type: application/json"];
    for (let count = 0; count < 5; count++) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(
        [...head, "content-length: 1000", "x-forwarded-for: 192.0.2.30", "", '{"x402Version"'].join("\r\n"),
      );
      await once(socket, "connect");
      // A request on another connection is only answered after the beginning of the body has arrived.
      await (await fetch(`${url}/supported`)).text();
      socket.destroy();
    }
    const since = () => linesOf(facilitator.output().slice(before));
    await expect.poll(() => since().filter(({ gone }) => gone)).toHaveLength(5);
    expect(since().filter(({ level }) => level !== "info")).toEqual([]);
    const counts = await settled();
    expect(counts["499"]).toBe(alreadyGone + 5);
    expect(Object.keys(counts).filter((status) => status.startsWith("5"))).toEqual([]);
  });

  test("exits with status 0 on SIGTERM, even while a client keeps its connection busy", async () => {
    const leaving = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let answers = 0;
    const ask = () =>
      get(`${leaving.url}/supported`, { agent }, (answer) => {
        answers += 1;
        answer.resume().on("end", ask);
      }).on("error", () => undefined);
    ask();
    await soon(() => expect(answers).toBeGreaterThan(2));
    leaving.child.kill("SIGTERM");
    expect(await leaving.exited).toBe(0);
    agent.destroy();
  });

  test("exits with status 78 and names all wrong settings", async () => {
    const refused = await run({ HIVE_NODES: "nowhere", REDIS_URL: "http://x", PORT: "x" });
    if (!("code" in refused)) throw new Error("it started");
    expect(refused.code).toBe(78);
    for (const name of ["HIVE_NODES", "REDIS_URL", "PORT"]) expect(refused.output).toContain(name);
  });
});
