import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  addMils,
  formatMils,
  isMils,
  type Mils,
  NO_MILS,
  parseMils,
  readMils,
  subtractMils,
  toMils,
  UNLIMITED,
} from "../../lib/mils.ts";

describe("amounts in mils", () => {
  test("have a type that a plain number does not satisfy", () => {
    expectTypeOf<number>().not.toExtend<Mils>();
    // @ts-expect-error A plain 50 could also mean 50 HBD.
    expect(formatMils(50)).toBe("0.050 HBD");
  });

  test("are written as text that is read back as the same amount", () => {
    const amounts = fc.integer({ min: 0, max: 999_999_999_999_999 }).map(toMils);
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(parseMils(formatMils(amount))).toBe(amount);
      }),
    );
  });

  test("are added exactly, and subtracted to no less than zero", () => {
    expect(formatMils(addMils(readMils("0.100 HBD"), readMils("0.200 HBD")))).toBe("0.300 HBD");
    expect(addMils()).toBe(NO_MILS);
    expect(subtractMils(toMils(3), toMils(5))).toBe(NO_MILS);
    expect(subtractMils(UNLIMITED, toMils(5))).toBe(UNLIMITED);
  });

  test("are whole and not negative", () => {
    for (const count of [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(isMils(count)).toBe(false);
      expect(() => toMils(count)).toThrow(RangeError);
    }
  });

  test("are not read from text such as 0.05 HBD or 0.050 HIVE", () => {
    for (const text of ["0.05 HBD", "0.050", "0.050 HIVE", "00.050 HBD", "-0.050 HBD", ""]) {
      expect(parseMils(text)).toBeNull();
      expect(() => readMils(text)).toThrow(RangeError);
    }
  });
});
