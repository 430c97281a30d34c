import { formatMils, isMils, type Mils, readMils } from "../mils.ts";

/**
 * Parses a positive whole number of 1/1000 HBD such as "50", as version 2 uses; `null` for any other text.
 */
export function readAtomic(text: string): Mils | null {
  return /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as Mils) : null;
}

/** Returns whether a text is an amount of a coin other than HBD. */
export function isOtherCoin(text: string): boolean {
  return /^[0-9.]+ (?!HBD$)[A-Z]+$/.test(text);
}

/**
 * Converts a number of HBD.
 * @throws RangeError unless it is a whole number of 1/1000 HBD: for negatives, fractions of a thousandth, NaN, and
 * values beyond the maximum
 */
export function hbdToMils(amount: number): Mils {
  const mils = typeof amount === "number" ? Math.round(amount * 1000) : Number.NaN;
  // The division yields the double nearest to the decimal number, so only exact thousandths compare equal.
  if (!isMils(mils) || mils > MAX_MILS || mils / 1000 !== amount)
    throw new RangeError("not a whole number of 1/1000 HBD");
  return mils;
}

const MAX_MILS = 999_999_999_999_999;

/**
 * Formats a number of HBD as text: 0.05 is "0.050 HBD".
 * @throws RangeError for a number that three decimals cannot represent exactly, for negatives, NaN and 1e12 or more
 * @example formatHBD(0.05) // "0.050 HBD"
 */
export function formatHBD(amount: number): string {
  return formatMils(hbdToMils(amount));
}

/**
 * Parses text such as "0.050 HBD" into a number of HBD.
 * @throws RangeError unless the text is digits without leading zeros, a point, three decimals, a space and HBD
 * @example parseHBD("0.050 HBD") // 0.05
 */
export function parseHBD(text: string): number {
  return readMils(text) / 1000;
}
