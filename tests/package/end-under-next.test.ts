import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collectOutput } from "../harness/collect-output.ts";
import { freePort } from "../harness/free-port.ts";
import { soon } from "../harness/soon.ts";
import { type Collector, startCollector } from "../harness/start-collector.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let collector: Collector;
let dataDir: string;
let child: ChildProcess;
let port: number;

beforeEach(async () => {
  chain = await startSandboxChain();
  collector = await startCollector();
  dataDir = await mkdtemp(join(tmpdir(), "end-under-next-"));
  port = await freePort();
  const args = ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", `${port}`];
  const { PATH, HOME } = process.env;
  const settings = {
    CHAT_BASE_URL: "http://127.0.0.1:9/api/v4",
    CHAT_ADMIN_TOKEN: "a".repeat(26),
    CHAT_TEAM_ID: "t".repeat(26),
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
    SESSION_SECRET: "0123456789abcdef0123456789abcdef",
    PUBLIC_URL: "http://localhost:3000",
    DATA_DIR: dataDir,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    NEXT_TELEMETRY_DISABLED: "1",
  };
  child = spawn(process.execPath, args, { env: { PATH, HOME, ...settings } as unknown as NodeJS.ProcessEnv });
  collectOutput(child);
  await soon(reach);
  // Next accepts connections before it answers.
  expect((await fetch(`http://127.0.0.1:${port}/api/health/live`)).status).toBe(200);
});
afterEach(async () => {
  if (child.exitCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  await chain.close();
  await collector.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function reach(): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect").finally(() => socket.destroy());
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "after %s, `next start` completes pending requests, closes its services, and exits with status 0",
  async (signal) => {
    const body = JSON.stringify({ username: "alice" });
    const asked = request({
      ...{ port, path: "/api/auth/challenge", method: "POST", agent: false },
      headers: {
        "content-type": "application/json",
        "content-length": body.length,
        expect: "100-continue",
        "x-request-id": "asked-before-the-end",
      },
    });
    asked.flushHeaders();
    // The request is in progress, and waits for its body.
    await once(asked, "continue");
    const ended = once(child, "close");
    child.kill(signal);
    await soon(() => expect(reach()).rejects.toThrow());
    asked.end(body);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.resume();
    expect(await ended).toEqual([0, null]);
    // Closing sends the remaining spans to the collector.
    const ids = collector.spans.map(({ facts }) => facts["hivegate.request_id"]);
    expect(ids).toContain("asked-before-the-end");
  },
);
