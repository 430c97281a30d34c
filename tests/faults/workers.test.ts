import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { balancesOf } from "../harness/balances-of.ts";
import { bundleOf } from "../harness/bundled-processes.ts";
import { type ContractMattermost, startContractMattermost } from "../harness/contract-mattermost.ts";
import { freePort } from "../harness/free-port.ts";
import { openResumingSocket } from "../harness/open-resuming-socket.ts";
import { request, requestBootstrap } from "../harness/start-chat.ts";
import { startCommand } from "../harness/start-command.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";
import { unique } from "../harness/unique.ts";
import { askUntil, buy } from "../harness/use-services.ts";

const METRICS_TOKEN = "a-token-for-metrics";
const REQUESTS = 40;
/** Pause between two messages of a writer. */
const PAUSE_MS = 150;
/** The most messages that Mattermost gives at once. */
const PAGE = 200;
const PRICE_MILLIS = 50;
const payers = ["alice", "bob"] as const;

let chain: SandboxChain;
let mattermost: ContractMattermost;
let folder: string;

beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 200 });
  mattermost = await startContractMattermost();
  folder = await mkdtemp(join(tmpdir(), "workers-"));
});

afterAll(async () => {
  await mattermost?.close();
  await chain?.close();
  await rm(folder, { recursive: true, force: true });
});

const settings = (dataDir: string) => ({
  CHAT_BASE_URL: mattermost.baseUrl,
  CHAT_ADMIN_TOKEN: mattermost.adminToken,
  CHAT_TEAM_ID: mattermost.teamId,
  HIVE_NODES: chain.url,
  HIVE_CHAIN_ID: chain.chainId,
  X402_NETWORK: "chain:sandbox",
  PAYWALL_ACCOUNT: "shop",
  SESSION_SECRET: "s".repeat(32),
  HOST: "127.0.0.1",
  PORT: "0",
  WORKERS: "2",
  METRICS_TOKEN,
  DATA_DIR: join(folder, dataDir),
});

const startWorkers = async (dataDir: string, given: Record<string, string> = {}): Promise<RunningServer> => {
  const server = await startServer([], { ...settings(dataDir), ...given });
  if ("code" in server) throw new Error(`ended with ${server.code}: ${server.output}`);
  return server;
};

const end = async ({ child, exited }: RunningServer): Promise<number | null> => {
  child.kill("SIGTERM");
  return exited;
};

/** Returns the ids of a process's children. */
const childrenOf = ({ pid }: ChildProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Sends a request over a new connection, so that it reaches the next worker. */
const askAnew = (url: string) => fetch(url, { headers: { connection: "close" } });

const metricsOf = async (url: string): Promise<string> => {
  const response = await askUntil([200], `${url}/api/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}`, connection: "close" },
  });
  return response.text();
};

const countOf = (text: string, route: string): number => {
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith("hivegate_http_request_duration_seconds_count"));
  return lines
    .filter((line) => line.includes(`route="${route}"`))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
};

describe("a server of two workers", () => {
  test("serves from both, and counts the requests of both in its metrics", async () => {
    const server = await startWorkers("metrics");
    expect(server.output().match(/Hivegate serves/g)).toHaveLength(1);
    expect(childrenOf(server.child)).toHaveLength(2);
    const [one = 0, other = 0] = childrenOf(server.child);
    // While one worker is stopped, only the other answers.
    for (const stopped of [one, other]) {
      process.kill(stopped, "SIGSTOP");
      const asked = Array.from({ length: REQUESTS / 2 }, () => askAnew(`${server.url}/api/health/live`));
      await Promise.any(asked);
      process.kill(stopped, "SIGCONT");
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    }
    expect(countOf(await metricsOf(server.url), "/api/health/live")).toBe(REQUESTS);
    expect(await end(server)).toBe(0);
  });

  test("loses no message and no payment when a worker is killed under load, and replaces it", async () => {
    const server = await startWorkers("killed", { RATE_LIMITS: "off" });
    const { body: alice } = await requestBootstrap(server.url, "alice", { community: "hive-100001" });
    const socket = await openResumingSocket(server.url, alice.token);
    const written: string[] = [];
    // A second try finds the channel with the messages of the first one.
    const prefix = unique("message-");
    const startedAt = Date.now();
    const write = async (message: string) => {
      await askUntil([200, 201], `${server.url}/api/chat/channels/${alice.channelId}/posts`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${alice.token}`,
          "content-type": "application/json",
          connection: "close",
        },
        body: JSON.stringify({
          message,
          pendingPostId: `${alice.userId}:${startedAt + written.length}`,
        }),
      });
      written.push(message);
    };
    let isWriting = true;
    const writeOn = async () => {
      while (isWriting) {
        await write(`${prefix} ${written.length}`);
        await sleep(PAUSE_MS);
      }
    };
    const tips = `${server.url}/api/demo/tips?to=shop&amount=0.050`;
    const isInMempool = async (txId: string) => {
      const found = await chain.call("transaction_status_api.find_transaction", { transaction_id: txId });
      return (found as { status: string }).status === "within_mempool";
    };
    const balances = await balancesOf(chain);
    const killed = childrenOf(server.child);
    const writing = writeOn();
    for (const worker of killed) {
      await chain.pause(true);
      const purchases = await Promise.all(payers.map((payer) => buy(tips, payer, chain, "POST")));
      for (const { txId } of purchases) await expect.poll(() => isInMempool(txId)).toBe(true);
      process.kill(worker, "SIGKILL");
      await chain.pause(false);
      for (const { txId, delivered } of purchases) expect((await delivered).receiptTxId).toBe(txId);
      for (const purchase of purchases) expect(await purchase.again()).toBe(402);
      await expect.poll(() => childrenOf(server.child).filter((pid) => pid !== worker)).toHaveLength(2);
    }
    isWriting = false;
    await writing;
    const after = await balancesOf(chain);
    for (const payer of payers) expect(after[payer]).toBe(balances[payer] - killed.length * PRICE_MILLIS);
    const shown: string[] = [];
    for (let page = 0; shown.length === page * PAGE; page++) {
      const { body } = await request<{ posts: Record<string, { message: string }> }>(
        "GET",
        `${mattermost.baseUrl}/channels/${alice.channelId}/posts?per_page=${PAGE}&page=${page}`,
        undefined,
        { authorization: `Bearer ${mattermost.adminToken}` },
      );
      shown.push(...Object.values(body.posts).map(({ message }) => message));
    }
    expect(shown.filter((message) => message.startsWith(prefix)).sort()).toEqual([...written].sort());
    await write("the last message");
    await expect.poll(() => socket.received).toContain("the last message");
    socket.close();
    expect(server.output().match(/another one replaces it/g)).toHaveLength(2);
    expect(childrenOf(server.child).some((pid) => killed.includes(pid))).toBe(false);
    expect(await end(server)).toBe(0);
  });

  test("shuts down in order when a terminal signals all its processes", async () => {
    const server = await startWorkers("signals");
    const workers = childrenOf(server.child);
    for (const pid of [...workers, server.child.pid ?? 0]) process.kill(pid, "SIGINT");
    expect(await server.exited).toBe(0);
    expect(workers.some(isAlive)).toBe(false);
  });

  test("leaves no worker behind when its leader is killed", async () => {
    const server = await startWorkers("leader-killed");
    const workers = childrenOf(server.child);
    server.child.kill("SIGKILL");
    await server.exited;
    await expect.poll(() => workers.some(isAlive)).toBe(false);
  });

  test("does not start on a taken port, and reports it", async () => {
    const server = await startWorkers("first");
    const ended = await startServer([], { ...settings("second"), PORT: new URL(server.url).port });
    if (!("code" in ended)) throw new Error("it started");
    expect(ended.code).toBe(1);
    expect(ended.output).toContain("Stop the program that has the port");
    expect(await end(server)).toBe(0);
  });

  test("shares one sandbox among its workers", async () => {
    const server = await startServer(["--sandbox"], {
      ...{ HOST: "127.0.0.1", PORT: "0", WORKERS: "2", SANDBOX_CHAIN_PORT: "0", METRICS_TOKEN },
      DATA_DIR: join(folder, "sandbox"),
    });
    if ("code" in server) throw new Error(`ended with ${server.code}: ${server.output}`);
    expect(server.output()).toContain("on the sandbox");
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => requestBootstrap(server.url, "alice", { community: "hive-100001" })),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.userId).toBe(answers[0]?.body.userId);
    }
    expect(await end(server)).toBe(0);
  });
});

test("the standalone facilitator serves from two workers", async () => {
  const facilitator = await startCommand(process.execPath, [bundleOf("lib/cli/facilitator.ts")], {
    settings: {
      ...{ HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
      ...{ HOST: "127.0.0.1", PORT: String(await freePort()), WORKERS: "2" },
      DATA_DIR: join(folder, "facilitator"),
    },
  });
  if ("code" in facilitator) throw new Error(`ended with ${facilitator.code}: ${facilitator.output}`);
  expect(childrenOf(facilitator.child)).toHaveLength(2);
  expect((await askAnew(`${facilitator.url}/supported`)).status).toBe(200);
  expect(await end(facilitator)).toBe(0);
});
