import { describe, expect, test } from "vitest";
import { readHbd, readTyped, writeAmount } from "#app/(demo)/_pay/amounts.ts";
import { parseGuard, refusalOf, remainingOf, usualGuard } from "#app/(demo)/_pay/spend-guard.ts";

describe("spend guard", () => {
  const guard = { paymentMillis: 100, sessionMillis: 250, spentMillis: 200 };

  test("refuses a payment over the limit for one payment or over the session's remainder", () => {
    expect(refusalOf(guard, 50)).toBeNull();
    expect(refusalOf(guard, 51)).toBe("over_budget");
    expect(refusalOf(guard, 101)).toBe("over_limit");
    expect(refusalOf({ ...guard, spentMillis: 0 }, 100)).toBeNull();
  });

  test("has no negative remainder if the limit is lowered below the amount spent", () => {
    expect(remainingOf({ ...guard, sessionMillis: 10 })).toBe(0);
  });

  test("survives serialization, and falls back to the default limits for invalid text", () => {
    expect(parseGuard(JSON.stringify(guard))).toEqual(guard);
    for (const broken of [
      null,
      "",
      "[]",
      "{",
      '{"paymentMillis":-1,"sessionMillis":1,"spentMillis":0}',
      '"x"',
    ])
      expect(parseGuard(broken)).toEqual(usualGuard);
  });
});

describe("typed amounts", () => {
  test.each([
    ["0.05", 50],
    ["1", 1000],
    [" 0.001 ", 1],
    ["12.345", 12_345],
  ])("reads %o as %i thousandths", (text, millis) => expect(readTyped(text)).toBe(millis));

  test.each(["", "1.", ".5", "0.0001", "-1", "1e3", "1,5", "x"])("rejects %o", (text) =>
    expect(readTyped(text)).toBeNull(),
  );

  test("reads the chain's text exactly, and writes the same text", () => {
    expect([readHbd("0.050 HBD"), readHbd("0.05 HBD"), readHbd("0.050 HIVE")]).toEqual([50, null, null]);
    expect([writeAmount(0), writeAmount(1), writeAmount(12_345)]).toEqual(["0.000", "0.001", "12.345"]);
  });
});
