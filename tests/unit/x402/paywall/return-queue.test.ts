import { expect, test } from "vitest";
import { createReturnQueue } from "#lib/x402/paywall/return-queue.ts";
import type { Refund } from "#lib/x402/refunds/paced-refunds.ts";
import type { TransferToReturn } from "#lib/x402/types.ts";

const transferOf = (operation: number): TransferToReturn => ({
  ...{ txId: "ab".repeat(20), operation, blockNum: 7, payer: "alice", amount: "0.020 HBD" },
  cause: "paid_too_little",
});

test("transfers are sent back one after the other, and each once while it waits", async () => {
  const begun: number[] = [];
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const queue = createReturnQueue({
    async giveBack({ operation }) {
      begun.push(operation);
      await promise;
      return {} as Refund;
    },
  });
  for (const operation of [1, 2, 1, 2]) expect(queue.add(transferOf(operation))).toBe(true);
  expect(begun).toEqual([1]);
  expect(queue.has(transferOf(2))).toBe(true);
  resolve();
  await expect.poll(() => begun).toEqual([1, 2]);
  await expect.poll(() => queue.has(transferOf(2))).toBe(false);
});

test("at most sixty transfers are sent back in an hour", () => {
  let nowMs = 0;
  const queue = createReturnQueue({ giveBack: async () => ({}) as Refund }, () => nowMs);
  for (let operation = 0; operation < 60; operation++) expect(queue.add(transferOf(operation))).toBe(true);
  expect(queue.add(transferOf(60))).toBe(false);
  nowMs = 3_600_000;
  expect(queue.add(transferOf(60))).toBe(true);
});
