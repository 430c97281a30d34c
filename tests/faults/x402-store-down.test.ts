import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { balancesOf } from "../harness/balances-of.ts";
import { signPayment } from "../harness/sign-payment.ts";
import {
  type FacilitatorProcess,
  type FacilitatorProcessOptions,
  startFacilitatorProcess,
} from "../harness/start-facilitator-process.ts";
import { startRedis, type TestRedis } from "../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
const closing: Array<() => Promise<unknown>> = [];
beforeEach(async () => {
  chain = await startSandboxChain();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await chain.close();
});

async function start(store: FacilitatorProcessOptions["store"]): Promise<FacilitatorProcess> {
  const one = await startFacilitatorProcess({ nodes: chain.urls, chainId: chain.chainId, store });
  closing.push(one.close);
  return one;
}

async function startWithRedis() {
  const redis: TestRedis = await startRedis();
  closing.push(redis.close);
  return { redis, facilitator: await start({ kind: "redis", url: redis.url }) };
}

/** Starts a SQLite facilitator whose files can be kept from growing, as on a full disk. */
async function startWithDisk() {
  const dataDir = await mkdtemp(join(tmpdir(), "full-"));
  closing.push(() => rm(dataDir, { recursive: true, force: true }));
  const facilitator = await start({ kind: "sqlite", dataDir });
  const limit = (bytes: string) =>
    execFileSync("prlimit", ["--pid", String(facilitator.pid), `--fsize=${bytes}:`]);
  return { facilitator, fill: () => limit("0"), free: () => limit("unlimited") };
}

const isWaiting = (txId: string) =>
  expect
    .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id: txId }))
    .toEqual({ status: "within_mempool" });

const untouched = { alice: 100_000, shop: 0 };
const paidOnce = { alice: 99_950, shop: 50 };

/** Settles repeatedly, with blocks in between, until the answer is final. */
async function retry(facilitator: FacilitatorProcess, request: object) {
  await chain.pause(false);
  const answers: Array<Awaited<ReturnType<FacilitatorProcess["settle"]>>> = [];
  const isFinal = async () => {
    const settling = facilitator.settle(request);
    await chain.produceBlocks(2);
    answers.push(await settling);
    const { status, body } = answers.at(-1) ?? {};
    return status === 200 && body?.errorReason !== "settlement_pending";
  };
  await expect.poll(isFinal, { message: "a final answer" }).toBe(true);
  return answers.at(-1)?.body;
}

describe("a failing store", () => {
  test("causes 503 before the broadcast while Redis is down, and success when it is back", async () => {
    const { redis, facilitator } = await startWithRedis();
    const { request } = await signPayment(chain);
    redis.pause();
    const answer = await facilitator.settle(request);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ success: false });
    expect((await fetch(`${facilitator.url}/health`)).status).toBe(503);
    await chain.produceBlocks();
    expect(await balancesOf(chain)).toMatchObject(untouched);
    redis.resume();
    expect(await retry(facilitator, request)).toMatchObject({ success: true });
    expect(await balancesOf(chain)).toMatchObject(paidOnce);
  });

  test("neither repeats nor loses a success when Redis fails after the broadcast", async () => {
    const { redis, facilitator } = await startWithRedis();
    const { request, txId } = await signPayment(chain);
    const settling = facilitator.settle(request);
    await isWaiting(txId);
    redis.pause();
    await chain.produceBlocks();
    expect((await settling).body).toMatchObject({ errorReason: "settlement_pending", txId });
    redis.resume();
    expect(await retry(facilitator, request)).toMatchObject({ success: true, txId });
    expect(await retry(facilitator, request)).toMatchObject({ errorReason: "payment_replayed" });
    expect(await balancesOf(chain)).toMatchObject(paidOnce);
  });

  test("that lost its data accepts no payment from an earlier block, which may have counted already", async () => {
    const { redis, facilitator } = await startWithRedis();
    const { request, txId } = await signPayment(chain);
    const settling = facilitator.settle(request);
    await isWaiting(txId);
    await redis.close();
    await chain.produceBlocks();
    expect((await settling).body).toMatchObject({ errorReason: "settlement_pending", txId });
    const again = await startRedis({ port: redis.port });
    closing.push(again.close);
    expect(await retry(facilitator, request)).toMatchObject({ errorReason: "payment_replayed", txId });
    expect(await balancesOf(chain)).toMatchObject(paidOnce);
  });

  test("causes 503 before the broadcast on a full disk, and success when there is room again", async () => {
    const { facilitator, fill, free } = await startWithDisk();
    const { request } = await signPayment(chain);
    fill();
    const answer = await facilitator.settle(request);
    expect(answer.status).toBe(503);
    expect((await fetch(`${facilitator.url}/health`)).status).toBe(503);
    await chain.produceBlocks();
    expect(await balancesOf(chain)).toMatchObject(untouched);
    free();
    expect(await retry(facilitator, request)).toMatchObject({ success: true });
    expect(await balancesOf(chain)).toMatchObject(paidOnce);
  });

  test("withholds a success until it can be recorded when a disk fills after the broadcast", async () => {
    const { facilitator, fill, free } = await startWithDisk();
    const { request, txId } = await signPayment(chain);
    const settling = facilitator.settle(request);
    await isWaiting(txId);
    fill();
    await chain.produceBlocks();
    expect((await settling).body).toMatchObject({ errorReason: "settlement_pending", txId });
    free();
    expect(await retry(facilitator, request)).toMatchObject({ success: true, txId });
    expect(await retry(facilitator, request)).toMatchObject({ errorReason: "payment_replayed" });
    expect(await balancesOf(chain)).toMatchObject(paidOnce);
  });
});
