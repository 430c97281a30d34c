import { expect, test } from "vitest";
import { createReturnQueue } from "#lib/x402/paywall/return-queue.ts";
import type { Refund } from "#lib/x402/refunds/paced-refunds.ts";
import type { TransferToReturn } from "#lib/x402/types.ts";

const transferOf = (operation: number, amount = "0.020 HBD"): TransferToReturn => ({
  ...{ txId: "ab".repeat(20), operation, blockNum: 7, payer: "alice", amount },
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

test("the largest of the waiting transfers is sent back next", async () => {
  const begun: number[] = [];
  const queue = createReturnQueue({
    async giveBack({ operation }) {
      begun.push(operation);
      return {} as Refund;
    },
  });
  queue.add(transferOf(1));
  queue.add(transferOf(2, "0.030 HBD"));
  queue.add(transferOf(3, "49.000 HBD"));
  await expect.poll(() => begun).toEqual([1, 3, 2]);
});

test("at most sixty transfers are sent back in an hour", () => {
  let nowMs = 0;
  const queue = createReturnQueue({ giveBack: async () => ({}) as Refund }, () => nowMs);
  const add = (operation: number) => queue.add(transferOf(operation, "49.000 HBD"));
  for (let operation = 0; operation < 60; operation++) expect(add(operation)).toBe(true);
  expect(add(60)).toBe(false);
  nowMs = 3_600_000;
  expect(add(60)).toBe(true);
});

test.each([
  ["0.099 HBD", 30],
  ["0.999 HBD", 40],
  ["9.999 HBD", 50],
])("transfers of %s leave room for larger ones after %i in an hour", (amount, most) => {
  const queue = createReturnQueue({ giveBack: async () => ({}) as Refund }, () => 0);
  for (let operation = 0; operation < most; operation++)
    expect(queue.add(transferOf(operation, amount))).toBe(true);
  expect(queue.add(transferOf(most, amount))).toBe(false);
  expect(queue.add(transferOf(most + 1, "10.000 HBD"))).toBe(true);
});
