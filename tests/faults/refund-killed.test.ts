import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { receiptOf } from "../harness/ask-paid.ts";
import { echo, openShop } from "../harness/open-shop.ts";
import { runRefund } from "../harness/run-refund.ts";
import {
  type RefundProcessOptions,
  refundPlacesToDie,
  startRefundProcess,
} from "../harness/start-refund-process.ts";

const { shop, sell } = await openShop();

let dataDir: string;
const running: Array<{ close(): Promise<void> }> = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "refund-killed-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  await rm(dataDir, { recursive: true, force: true });
});

/** Sells something for 0.050 HBD, and returns the id of alice's payment. */
async function buy(): Promise<string> {
  return String(receiptOf(await shop.payer()(await sell(echo))).txId);
}

function start(txId: string, diesAt?: RefundProcessOptions["diesAt"]) {
  const { nodes, chainId, activeKey } = shop.purse("shop");
  const options = { dataDir, account: "shop", activeKey, nodes, chainId, txId, ...(diesAt && { diesAt }) };
  const one = startRefundProcess(options);
  running.push(one);
  return one;
}

const continueAll = () => runRefund(shop, dataDir);

beforeAll(async () => {
  // The shop needs funds of its own, so that a second refund would not fail for lack of them.
  await buy();
});

describe("a process killed during a refund", () => {
  test.each(refundPlacesToDie)("leaves a refund that is paid once in the end: killed %s", async (place) => {
    const txId = await buy();
    const before = await shop.balances();
    expect(await start(txId, place).ended).toEqual({ refund: null, signal: "SIGKILL" });
    const { refund } = await start(txId).ended;
    expect(refund).toMatchObject({ state: "done", paymentId: txId, amount: "0.050 HBD" });
    const after = await shop.balances();
    expect([after.alice - before.alice, before.shop - after.shop]).toEqual([50, 50]);
    expect(await start(txId).ended).toEqual({ refund, signal: null });
    expect(await shop.balances()).toEqual(after);
  });

  test.each(refundPlacesToDie.slice(1))(
    "leaves a recorded refund that npm run refund continues: killed %s",
    async (place) => {
      const txId = await buy();
      const before = await shop.balances();
      expect(await start(txId, place).ended).toEqual({ refund: null, signal: "SIGKILL" });
      const { output, code } = await continueAll();
      expect(code).toBe(0);
      expect(output).toMatch(
        place === "after the block is written down" ? "No refund is open." : `for ${txId}: done`,
      );
      expect((await shop.balances()).alice - before.alice).toBe(50);
    },
  );

  test("pays nothing if it was killed before the record and nobody asks again", async () => {
    const txId = await buy();
    const before = await shop.balances();
    await start(txId, "before the record").ended;
    expect((await continueAll()).output).toContain("No refund is open.");
    expect(await shop.balances()).toEqual(before);
  });
});

describe("two processes that refund a payment at once", () => {
  const race = async (diesAt?: RefundProcessOptions["diesAt"]) => {
    const txId = await buy();
    const before = await shop.balances();
    const [, { refund }] = await Promise.all([start(txId, diesAt).ended, start(txId).ended]);
    expect(refund).toMatchObject({ state: "done", paymentId: txId });
    expect((await continueAll()).code).toBe(0);
    const after = await shop.balances();
    expect([after.alice - before.alice, before.shop - after.shop]).toEqual([50, 50]);
  };

  test("pay it back once", () => race());

  test.each(["after the record", "after the broadcast"] as const)(
    "pay it back once if one of them is killed %s",
    (place) => race(place),
  );
});
