declare const unit: unique symbol;

/**
 * An amount of money: a whole number of 1/1000 HBD. It exists inside the code only; outside, amounts are text
 * such as "0.050 HBD".
 */
export type Mils = number & { readonly [unit]: "1/1000 HBD" };

const hbdText = /^(0|[1-9]\d{0,11})\.\d{3} HBD$/;

export const NO_MILS = 0 as Mils;
/** A limit that no amount exceeds. */
export const UNLIMITED = Number.POSITIVE_INFINITY as Mils;

/** Returns whether a value from outside, such as a stored number, is an amount. */
export function isMils(value: unknown): value is Mils {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Converts a count of 1/1000 HBD. @throws RangeError for negatives and fractions */
export function toMils(count: number): Mils {
  if (!isMils(count)) throw new RangeError("not a whole number of 1/1000 HBD");
  return count;
}

/** Parses an amount such as "0.050 HBD"; `null` for any other text. */
export function parseMils(text: string): Mils | null {
  return hbdText.test(text) ? (Number(text.slice(0, -4).replace(".", "")) as Mils) : null;
}

/** Parses an amount such as "0.050 HBD". @throws RangeError for anything else */
export function readMils(text: string): Mils {
  const mils = typeof text === "string" ? parseMils(text) : null;
  if (mils === null) throw new RangeError('not an amount such as "0.050 HBD"');
  return mils;
}

/** Formats an amount as the chain does: 50 is "0.050 HBD". */
export function formatMils(mils: Mils): string {
  const digits = String(mils).padStart(4, "0");
  return `${digits.slice(0, -3)}.${digits.slice(-3)} HBD`;
}

/** Returns the sum of amounts. */
export function addMils(...amounts: readonly Mils[]): Mils {
  return amounts.reduce<number>((sum, amount) => sum + amount, 0) as Mils;
}

/** Returns the lesser of two amounts. */
export function leastMils(one: Mils, other: Mils): Mils {
  return one < other ? one : other;
}

/** Returns the greater of two amounts. */
export function greatestMils(one: Mils, other: Mils): Mils {
  return one > other ? one : other;
}

/** Returns what is left of an amount after another is taken from it, which is never less than nothing. */
export function subtractMils(amount: Mils, taken: Mils): Mils {
  return Math.max(0, amount - taken) as Mils;
}
