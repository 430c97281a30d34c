import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { balancesOf } from "../harness/balances-of.ts";
import { bundleOf } from "../harness/bundled-processes.ts";
import { type ContractMattermost, startContractMattermost } from "../harness/contract-mattermost.ts";
import { type SignedPayment, signPayment } from "../harness/sign-payment.ts";
import { type RunningServer, startCommand } from "../harness/start-command.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { startServer } from "../harness/start-server.ts";

let mattermost: ContractMattermost;
let chain: SandboxChain;
let dataDir: string;
const running: RunningServer[] = [];

beforeAll(async () => {
  mattermost = await startContractMattermost();
});
afterAll(() => mattermost.close());
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1, blockIntervalMs: 100 });
  dataDir = await mkdtemp(join(tmpdir(), "end-hanging-"));
});
afterEach(async () => {
  for (const { child, exited } of running.splice(0)) {
    child.kill("SIGKILL");
    await exited;
  }
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

const settings = () => ({
  HOST: "127.0.0.1",
  PORT: "0",
  HIVE_NODES: chain.urls.join(","),
  HIVE_CHAIN_ID: chain.chainId,
  X402_NETWORK: "chain:sandbox",
  DATA_DIR: dataDir,
});

const commands = [
  {
    name: "the app",
    start: () =>
      startServer([], {
        ...settings(),
        CHAT_BASE_URL: mattermost.baseUrl,
        CHAT_ADMIN_TOKEN: mattermost.adminToken,
        CHAT_TEAM_ID: mattermost.teamId,
        SESSION_SECRET: "s".repeat(32),
      }),
    path: "/api/x402/settle",
    alive: "/api/health/live",
  },
  {
    name: "the facilitator alone",
    start: () =>
      startCommand(process.execPath, [bundleOf("lib/cli/facilitator.ts")], {
        settings: { NODE_ENV: "test", ...settings() },
      }),
    path: "/settle",
    alive: "/supported",
  },
];

type Outcome = { success?: boolean; errorReason?: string; txId?: string; code?: string };

const hang = async () => {
  for (const node of [0, 1]) await chain.setFault({ kind: "hang", method: "*" }, node);
};
const recover = async () => {
  for (const node of [0, 1]) await chain.clearFaults(node);
  await chain.holdTransactions(false);
};
const isWaitingInChain = async (txId: string) => {
  const found = await chain.call("transaction_status_api.find_transaction", { transaction_id: txId });
  return (found as { status: string }).status === "within_mempool";
};

describe.each(commands)("$name ended by SIGTERM while all its chain nodes hang", ({ start, path, alive }) => {
  async function begin(): Promise<RunningServer> {
    const server = await start();
    if (!("url" in server)) throw new Error(`ended with ${server.code}: ${server.output}`);
    running.push(server);
    return server;
  }

  /** Sends one request; returns `cut` if the server disconnects without an answer. */
  async function settle(url: string, request: object): Promise<Outcome | "cut"> {
    try {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request),
      });
      return (await response.json()) as Outcome;
    } catch {
      return "cut";
    }
  }

  async function settleToTheEnd(url: string, request: object): Promise<Outcome | "cut"> {
    let outcome: Outcome | "cut" = "cut";
    const isOpen = async () => {
      outcome = await settle(url, request);
      return outcome === "cut" || outcome.errorReason === "settlement_pending" || outcome.code !== undefined;
    };
    await expect.poll(isOpen).toBe(false);
    return outcome;
  }

  test.each([
    ["wait for a block", true],
    ["have just arrived", false],
  ])("exits with 0, and payments that %s count once when they are sent again", async (_, areSent) => {
    const before = await balancesOf(chain);
    const first = await begin();
    const payments: SignedPayment[] = [];
    while (payments.length < 5) payments.push(await signPayment(chain));
    if (areSent) await chain.holdTransactions(true);
    else await hang();
    const asked = payments.map(({ request }) => settle(first.url, request));
    if (areSent) {
      for (const { txId } of payments) await expect.poll(() => isWaitingInChain(txId)).toBe(true);
      await hang();
    }
    // An answer to a later request shows that those in flight have arrived.
    expect((await fetch(first.url + alive)).status).toBe(200);
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    for (const outcome of await Promise.all(asked)) expect(outcome).not.toMatchObject({ success: true });

    await recover();
    const second = await begin();
    for (const { request, txId } of payments) {
      expect(await settleToTheEnd(second.url, request)).toMatchObject({ success: true, txId });
      expect(await settle(second.url, request)).toMatchObject({ errorReason: "payment_replayed", txId });
    }
    const after = await balancesOf(chain);
    expect([before.alice - after.alice, after.shop - before.shop]).toEqual([250, 250]);
  });
});
