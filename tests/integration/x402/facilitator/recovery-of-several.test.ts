import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore } from "#lib/store/open-sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let folder: string;
let store: Store;
const started = new Set<Awaited<ReturnType<typeof startFacilitator>>>();

beforeEach(async () => {
  chain = await startSandboxChain();
  folder = await mkdtemp(join(tmpdir(), "recovery-"));
  store = openSqliteStore(folder);
});

afterEach(async () => {
  for (const facilitator of started) await facilitator.close();
  started.clear();
  await store.close();
  await chain.close();
  await rm(folder, { recursive: true, force: true });
});

const LEASE_KEY = "x402:recovery";

/** Starts a process on the store, and counts its recovery rounds and its requests for their lease. */
const startProcess = async () => {
  const events: string[] = [];
  const count = { rounds: 0, asked: 0, refusedRenewals: 0 };
  const counting: Store = {
    ...store,
    range: (...given) => {
      count.rounds++;
      return store.range(...given);
    },
    setIfAbsent: (key, ...given) => {
      if (key === LEASE_KEY) count.asked++;
      return store.setIfAbsent(key, ...given);
    },
    async replace(key, ...given) {
      const isReplaced = await store.replace(key, ...given);
      if (key === LEASE_KEY && !isReplaced) count.refusedRenewals++;
      return isReplaced;
    },
  };
  const facilitator = await startFacilitator(chain, {
    store: counting,
    waitMs: 20,
    recoverEveryMs: 20,
    onEvent: ({ kind }) => events.push(kind),
  });
  started.add(facilitator);
  facilitator.start();
  return { facilitator, events, count };
};

const leavePending = async ({ facilitator }: Awaited<ReturnType<typeof startProcess>>) => {
  const { request } = await signPayment(chain);
  expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
};

test("one process advances the open payments of all processes on a store", async () => {
  const first = await startProcess();
  await expect.poll(() => first.count.rounds).toBeGreaterThan(0);
  const second = await startProcess();
  await leavePending(second);
  await chain.produceBlocks();
  await expect.poll(() => first.events).toContain("settled");
  await expect.poll(() => second.count.asked).toBeGreaterThan(2);
  expect(second.events).not.toContain("settled");
  expect(second.count.rounds).toBe(0);
});

test("another process takes over when the first one closes", async () => {
  const first = await startProcess();
  await expect.poll(() => first.count.rounds).toBeGreaterThan(0);
  const second = await startProcess();
  await leavePending(second);
  started.delete(first.facilitator);
  await first.facilitator.close();
  await chain.produceBlocks();
  await expect.poll(() => second.events).toContain("settled");
});

test("a process that closes while it takes the recovery lease ends after it has given the lease back", async () => {
  const order: string[] = [];
  const slow: Store = {
    ...store,
    async setIfAbsent(key, ...given) {
      if (key === LEASE_KEY) await wait(50);
      order.push("taken");
      return store.setIfAbsent(key, ...given);
    },
  };
  const facilitator = await startFacilitator(chain, { store: slow });
  facilitator.start();
  await facilitator.close();
  order.push("closed");
  expect(order).toEqual(["taken", "closed"]);
  expect(await store.get(LEASE_KEY)).toBeNull();
});

test("a process that lost its recovery lease runs no round until it holds the lease again", async () => {
  const process = await startProcess();
  await expect.poll(() => process.count.rounds).toBeGreaterThan(0);
  // Acts as if the process had been suspended until its lease expired and another process obtained it.
  const holder = await store.get(LEASE_KEY);
  await store.replace(LEASE_KEY, holder ?? "", "another process", 60);
  await expect.poll(() => process.count.refusedRenewals).toBe(1);
  const { asked } = process.count;
  await expect.poll(() => process.count.asked).toBeGreaterThan(asked + 2);
  const { rounds } = process.count;
  await leavePending(process);
  await chain.produceBlocks();
  await expect.poll(() => process.count.asked).toBeGreaterThan(asked + 5);
  expect(process.count.rounds).toBe(rounds);
  await store.deleteIf(LEASE_KEY, "another process");
  await expect.poll(() => process.events).toContain("settled");
});
