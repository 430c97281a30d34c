import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import { createFacilitator, type FacilitatorOptions } from "#lib/x402/facilitator/index.ts";
import { countCalls } from "../../../harness/count-calls.ts";
import { type HeldTime, holdTime } from "../../../harness/hold-time.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let client: HiveClient;
let dataDir: string;
let time: HeldTime | undefined;
const closing: Array<() => Promise<unknown>> = [];
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
  client = createHiveClient({ nodes: chain.urls, chainId: chain.chainId });
  dataDir = await mkdtemp(join(tmpdir(), "defaults-"));
});
afterEach(async () => {
  time?.release();
  time = undefined;
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
  await client.close();
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

function start(options: FacilitatorOptions = {}) {
  const place = options.store ? {} : { dataDir };
  const facilitator = createFacilitator({ client, pollMs: 5, ...place, ...options });
  closing.push(facilitator.close);
  return facilitator;
}

const CLOCK = "get_dynamic_global_properties";

describe("default options", () => {
  /** Settles a payment whose block arrives after this time, if the facilitator still waits for it. */
  async function settleAfter(ms: number) {
    let looks = 0;
    let isSent = false;
    const counting: HiveClient = {
      ...countCalls(client, (method) => {
        if (isSent && method.endsWith(CLOCK)) looks += 1;
      }),
      async broadcast(...given) {
        await client.broadcast(...given);
        isSent = true;
      },
    };
    const facilitator = start({ client: counting });
    const payment = await signPayment(chain);
    time = holdTime();
    const settling = facilitator.settle(payment.request);
    await expect.poll(() => looks).toBeGreaterThan(1);
    time.pass(ms);
    const before = looks;
    if (ms >= 8000) return settling;
    await expect.poll(() => looks).toBeGreaterThan(before + 1);
    await chain.produceBlocks();
    return settling;
  }

  test("make settle wait almost eight seconds for a block", async () => {
    expect(await settleAfter(7999)).toMatchObject({ success: true });
  });

  test("make settle return settlement_pending after eight seconds", async () => {
    expect(await settleAfter(8000)).toMatchObject({ success: false, errorReason: "settlement_pending" });
  });

  test("check open payments every 15 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const store = createSqliteStore({ dataDir });
    const looks = vi.spyOn(store, "range");
    const rounds = () => looks.mock.calls.filter(([set]) => set === "x402:payments:open").length;
    const facilitator = start({ store });
    closing.push(store.close);
    facilitator.start();
    await facilitator.recover();
    expect(rounds()).toBe(1);
    vi.advanceTimersByTime(14_999);
    expect(rounds()).toBe(1);
    vi.advanceTimersByTime(1);
    await expect.poll(rounds).toBe(2);
  });

  test.each([50, 100_000])("require two nodes for a payment of %d mils", async (mils) => {
    const { request } = await signPayment(chain, { mils });
    await chain.setFault({ kind: "cut" }, 1);
    await expect(start().verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
  });

  test.each([
    ["99.999", 99_999, { isValid: true }],
    ["100.000", 100_000, { code: "chain_unavailable" }],
  ])("require two nodes from 100.000 HBD on, even with a quorum of 1: %s HBD", async (_, mils, verdict) => {
    const { request } = await signPayment(chain, { mils });
    await chain.setFault({ kind: "cut" }, 1);
    const verified = start({ quorum: 1 }).verify(request);
    expect(await verified.catch((error: unknown) => error)).toMatchObject(verdict);
  });
});

test("an unavailable store is opened again by a later call", async () => {
  const place = join(dataDir, "payments");
  await writeFile(place, "a file where a folder should be");
  const facilitator = start({ dataDir: place });
  expect((await facilitator.health()).store).toBe("unavailable");
  await rm(place);
  await expect.poll(async () => (await facilitator.health()).store).toBe("ok");
});

test("health accepts a chain head that is a minute old, but no older one", async () => {
  const facilitator = start();
  time = holdTime();
  const { chainLagSeconds } = await facilitator.health();
  time.pass((60 - (chainLagSeconds ?? 0)) * 1000);
  expect(await facilitator.health()).toMatchObject({ status: "ok", chainLagSeconds: 60 });
  time.pass(1000);
  expect(await facilitator.health()).toMatchObject({ status: "degraded", failing: ["chain"] });
});

test("health fails when the chain's head is over five seconds ahead of this machine's clock", async () => {
  const facilitator = start();
  time = holdTime();
  const { chainLagSeconds } = await facilitator.health();
  time.pass((-5 - (chainLagSeconds ?? 0)) * 1000);
  expect(await facilitator.health()).toMatchObject({ status: "ok", chainLagSeconds: -5 });
  time.pass(-1000);
  const fault = { status: "degraded", chainLagSeconds: -6, failing: ["clock"], clockAheadSeconds: -6 };
  expect(await facilitator.health()).toMatchObject(fault);
});

test("health has no warnings by default, and warns of a quorum of one", async () => {
  expect(await start().health()).not.toHaveProperty("warnings");
  const { warnings } = await start({ quorum: 1 }).health();
  expect(warnings).toEqual([expect.stringMatching(/^HIVE_QUORUM is 1: while no second chain node answers/)]);
});
