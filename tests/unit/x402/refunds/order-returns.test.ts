import { expect, test } from "vitest";
import { orderReturns } from "#lib/x402/refunds/order-returns.ts";
import type { TransferToReturn } from "#lib/x402/types.ts";

const transferOf = (payer: string, amount: string, blockNum: number): TransferToReturn => ({
  ...{ txId: "ab".repeat(20), operation: 0, blockNum, payer, amount, cause: "paid_too_much" },
});
const order = (transfers: readonly TransferToReturn[]) => orderReturns(transfers).map(({ payer }) => payer);

test("a large transfer is returned before any number of older small ones", () => {
  const dust = Array.from({ length: 100 }, (_, index) => transferOf(`stranger-${index}`, "0.010 HBD", index));
  expect(order([...dust, transferOf("buyer", "49.000 HBD", 900)])[0]).toBe("buyer");
});

test("a waiting transfer is returned before larger ones that came later, in each second place", () => {
  const flood = Array.from({ length: 100 }, (_, index) => transferOf(`rich-${index}`, "100.000 HBD", 900));
  expect(order([...flood, transferOf("buyer", "0.050 HBD", 1)]).slice(0, 2)).toContain("buyer");
  expect(order([...flood, transferOf("buyer", "49.000 HBD", 800)])[0]).toBe("buyer");
});

test("each transfer is ordered once", () => {
  const all = [1, 2, 3, 4].map((block) => transferOf(`payer-${block}`, "1.000 HBD", block));
  expect(order(all).toSorted()).toEqual(["payer-1", "payer-2", "payer-3", "payer-4"]);
  expect(order([])).toEqual([]);
});
