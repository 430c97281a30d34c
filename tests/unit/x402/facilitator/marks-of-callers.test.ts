import { expect, test } from "vitest";
import { createMarks } from "#lib/x402/facilitator/payment-record.ts";

test("stores the marks of the last ten thousand callers", () => {
  const marks = createMarks();
  for (let index = 0; index <= 10_000; index++) marks.add(String(index));
  expect([marks.has("0"), marks.has("1"), marks.has("10000")]).toEqual([false, true, true]);
});
