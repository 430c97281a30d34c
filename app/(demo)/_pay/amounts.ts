import { formatMils, type Mils, toMils } from "../../../lib/mils.ts";

const typed = /^(\d{1,9})(?:\.(\d{1,3}))?$/;

/** Parses a typed amount ("0.05"), or returns null for any other text. */
export function readTyped(text: string): Mils | null {
  const [, whole, fraction = ""] = typed.exec(text.trim()) ?? [];
  return whole === undefined ? null : toMils(Number(whole) * 1000 + Number(fraction.padEnd(3, "0")));
}

/** Formats an amount with three decimals, without the coin's name. */
export function writeAmount(mils: Mils): string {
  return formatMils(mils).replace(" HBD", "");
}
