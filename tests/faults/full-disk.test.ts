import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleOf } from "../harness/bundled-processes.ts";
import { signPayment } from "../harness/sign-payment.ts";
import { type RunningServer, startCommand } from "../harness/start-command.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let dataDir: string;
let facilitator: RunningServer;
beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  dataDir = await mkdtemp(join(tmpdir(), "full-disk-"));
  const started = await startCommand(process.execPath, [bundleOf("lib/cli/facilitator.ts")], {
    settings: {
      ...{ NODE_ENV: "test", PORT: "0", HOST: "127.0.0.1", DATA_DIR: dataDir },
      ...{ HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
    },
  });
  if (!("url" in started)) throw new Error(started.output);
  facilitator = started;
});
afterAll(async () => {
  facilitator?.child.kill("SIGKILL");
  await chain?.close();
  await rm(dataDir, { recursive: true, force: true });
});

test("the facilitator logs a full disk once, with advice, and recovers when there is room", async () => {
  const limit = (bytes: string) =>
    execFileSync("prlimit", ["--pid", String(facilitator.child.pid), `--fsize=${bytes}:`]);
  const { request } = await signPayment(chain);
  const settle = () =>
    fetch(`${facilitator.url}/settle`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
  const advice = () =>
    facilitator
      .output()
      .split("\n")
      .filter((line) => /disk or quota of DATA_DIR is full: free some space/.test(line));
  expect(advice()).toEqual([]);
  limit("0");
  for (let times = 0; times < 3; times++) expect((await settle()).status).toBe(503);
  await expect.poll(advice).toHaveLength(1);
  expect(JSON.parse(advice()[0] ?? "")).toMatchObject({ level: "error" });
  limit("unlimited");
  await expect.poll(async () => (await settle()).json()).toMatchObject({ success: true });
  expect(advice()).toHaveLength(1);
});
