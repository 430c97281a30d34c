import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatHBD, parseHBD } from "../../../lib/x402/amount.ts";

const mils = fc.integer({ min: 0, max: 999_999_999_999_999 });

describe("formatHBD", () => {
  test("writes three decimals and the symbol", () => {
    expect([0, 0.001, 0.05, 1, 12.34, 999_999_999_999.999].map(formatHBD)).toEqual([
      "0.000 HBD",
      "0.001 HBD",
      "0.050 HBD",
      "1.000 HBD",
      "12.340 HBD",
      "999999999999.999 HBD",
    ]);
  });

  test("throws for numbers that three decimals cannot represent exactly", () => {
    for (const amount of [0.0004, 1.0005, -1, -0.001, Number.NaN, Infinity, 1e21, 1e12, 0.05 + 1e-9])
      expect(() => formatHBD(amount)).toThrow(RangeError);
  });

  test("throws for anything but a number", () => {
    for (const amount of ["0.05", null, undefined, 5n, {}])
      expect(() => formatHBD(amount as unknown as number)).toThrow(RangeError);
  });

  test("formats amounts that parseHBD reads back, for every amount of the chain", () => {
    fc.assert(
      fc.property(mils, (amount) => {
        expect(parseHBD(formatHBD(amount / 1000))).toBe(amount / 1000);
      }),
    );
  });
});

describe("parseHBD", () => {
  test("returns the number", () => {
    expect(["0.000 HBD", "0.050 HBD", "1234.567 HBD"].map(parseHBD)).toEqual([0, 0.05, 1234.567]);
  });

  test("throws for any other spelling", () => {
    const spellings = [
      ...["0.05 HBD", "0.0500 HBD", "0.050HBD", "0.050  HBD", "0.050\nHBD", " 0.050 HBD", "0.050 HBD\n"],
      ...["00.050 HBD", "01.000 HBD", ".050 HBD", "-1.000 HBD", "+1.000 HBD", "1,000 HBD", "1e3 HBD"],
      ...["0.050 hbd", "0.050 HIVE", "0.050 SBD", "0.050", "", "1.000 HBD x", "1234567890123.000 HBD"],
      ...["٠.٠٥٠ HBD", "0x1.000 HBD", "Infinity HBD", "NaN HBD"],
    ];
    for (const text of spellings) expect(() => parseHBD(text), text).toThrow(RangeError);
    expect(() => parseHBD(null as unknown as string)).toThrow(RangeError);
  });

  test("distinguishes adjacent amounts where floats become coarse", () => {
    expect(parseHBD("999999999999.998 HBD")).not.toBe(parseHBD("999999999999.999 HBD"));
  });

  test("accepts only the texts that formatHBD writes", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9.eE+-]{0,8} ?HBD$/), (text) => {
        let amount: number;
        try {
          amount = parseHBD(text);
        } catch {
          return;
        }
        expect(formatHBD(amount)).toBe(text);
      }),
    );
  });
});
