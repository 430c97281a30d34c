import { describe, expect, test } from "vitest";
import { readTyped, writeAmount } from "#app/(demo)/_pay/amounts.ts";
import { parseGuard, refusalOf, remainingOf, usualGuard } from "#app/(demo)/_pay/spend-guard.ts";
import { NO_MILS, parseMils, toMils } from "#lib/mils.ts";

describe("spend guard", () => {
  const guard = { paymentMils: toMils(100), tabMils: toMils(250), spentMils: toMils(200) };

  test("refuses a payment over the limit for one payment or over the session's remainder", () => {
    expect(refusalOf(guard, toMils(50))).toBeNull();
    expect(refusalOf(guard, toMils(51))).toBe("over_budget");
    expect(refusalOf(guard, toMils(101))).toBe("over_limit");
    expect(refusalOf({ ...guard, spentMils: NO_MILS }, toMils(100))).toBeNull();
  });

  test("has no negative remainder if the limit is lowered below the amount spent", () => {
    expect(remainingOf({ ...guard, tabMils: toMils(10) })).toBe(0);
  });

  test("is read in its stored form, and falls back to the default limits for invalid text", () => {
    const stored = '{"paymentMillis":100,"sessionMillis":250,"spentMillis":200}';
    expect(parseGuard(stored)).toEqual(guard);
    for (const broken of [
      null,
      "",
      "[]",
      "{",
      stored.replace("100", "-1"),
      stored.replace("250", "0.5"),
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
  ])("reads %o as %i thousandths", (text, mils) => expect(readTyped(text)).toBe(mils));

  test.each(["", "1.", ".5", "0.0001", "-1", "1e3", "1,5", "x"])("rejects %o", (text) =>
    expect(readTyped(text)).toBeNull(),
  );

  test("reads the chain's text exactly, and writes the same text", () => {
    expect([parseMils("0.050 HBD"), parseMils("0.05 HBD"), parseMils("0.050 HIVE")]).toEqual([
      50,
      null,
      null,
    ]);
    expect([NO_MILS, toMils(1), toMils(12_345)].map(writeAmount)).toEqual(["0.000", "0.001", "12.345"]);
  });
});
