import type { Asset } from "./transaction.ts";

/** Parses a positive amount such as "0.050 HBD" or "1.000 HIVE"; null for any other text. */
export function parseAsset(text: string): Asset | null {
  const [, whole, thousandths, symbol] = /^(0|[1-9]\d{0,11})\.(\d{3}) (HBD|HIVE)$/.exec(text) ?? [];
  if (whole === undefined || thousandths === undefined) return null;
  const amount = BigInt(whole + thousandths);
  return amount > 0n ? { amount, symbol: symbol as "HBD" | "HIVE" } : null;
}
