const hbdText = /^(0|[1-9]\d{0,11})\.\d{3} HBD$/;
const MAX_MILLIS = 999_999_999_999_999;

/** Parses an amount such as "0.050 HBD" into 1/1000 HBD; `null` for any other text. */
export function parseMillis(text: string): number | null {
  return hbdText.test(text) ? Number(text.slice(0, -4).replace(".", "")) : null;
}

/**
 * Parses a positive whole number of 1/1000 HBD such as "50", as version 2 uses; `null` for any other text.
 */
export function readAtomic(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** Returns whether a text is an amount of a coin other than HBD. */
export function isOtherCoin(text: string): boolean {
  return /^[0-9.]+ (?!HBD$)[A-Z]+$/.test(text);
}

/** Formats 1/1000 HBD as the chain does: 50 is "0.050 HBD". */
export function formatMillis(millis: number): string {
  const digits = String(millis).padStart(4, "0");
  return `${digits.slice(0, -3)}.${digits.slice(-3)} HBD`;
}

/**
 * Converts a number of HBD to 1/1000 HBD.
 * @throws RangeError unless it is a whole number of 1/1000 HBD: for negatives, fractions of a thousandth, NaN, and
 * values beyond the maximum
 */
export function toMillis(amount: number): number {
  const millis = typeof amount === "number" ? Math.round(amount * 1000) : Number.NaN;
  // The division yields the double nearest to the decimal number, so only exact thousandths compare equal.
  if (!(millis >= 0 && millis <= MAX_MILLIS) || millis / 1000 !== amount)
    throw new RangeError("not a whole number of 1/1000 HBD");
  return millis;
}

/** An amount of HBD: text such as "0.050 HBD", or a number of HBD. */
export type Amount = string | number;

/**
 * Reads an amount into 1/1000 HBD.
 * @throws RangeError for text of another form, and for numbers as `toMillis` does
 */
export function amountToMillis(amount: Amount): number {
  const millis = typeof amount === "string" ? parseMillis(amount) : toMillis(amount);
  if (millis === null) throw new RangeError('not an amount such as "0.050 HBD"');
  return millis;
}

/**
 * Formats a number of HBD as text: 0.05 is "0.050 HBD".
 * @throws RangeError for a number that three decimals cannot represent exactly, for negatives, NaN and 1e12 or more
 * @example formatHBD(0.05) // "0.050 HBD"
 */
export function formatHBD(amount: number): string {
  return formatMillis(toMillis(amount));
}

/**
 * Parses text such as "0.050 HBD" into a number of HBD.
 * @throws RangeError unless the text is digits without leading zeros, a point, three decimals, a space and HBD
 * @example parseHBD("0.050 HBD") // 0.05
 */
export function parseHBD(text: string): number {
  const millis = typeof text === "string" ? parseMillis(text) : null;
  if (millis === null) throw new RangeError('not an amount such as "0.050 HBD"');
  return millis / 1000;
}
