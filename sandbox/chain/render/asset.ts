import type { Asset } from "../../../lib/hive/transaction.ts";
import type { Symbols } from "../types.ts";

/** The two JSON forms of amounts: texts (`condenser_api`) and objects with a numeric asset identifier (all others). */
export type Form = "text" | "nai";

const assets = {
  HBD: { precision: 3, nai: "@@000000013" },
  HIVE: { precision: 3, nai: "@@000000021" },
  VESTS: { precision: 6, nai: "@@000000037" },
} as const;

export type AssetRenderer = (amount: bigint, symbol: Asset["symbol"]) => unknown;

/** Makes the writer of amounts in one form. */
export function createAssetRenderer(form: Form, symbols: Symbols): AssetRenderer {
  if (form === "nai") return (amount, symbol) => ({ amount: amount.toString(), ...assets[symbol] });
  const names = { HBD: symbols.hbd, HIVE: symbols.hive, VESTS: "VESTS" };
  return (amount, symbol) => {
    const { precision } = assets[symbol];
    const digits = (amount < 0n ? -amount : amount).toString().padStart(precision + 1, "0");
    return `${amount < 0n ? "-" : ""}${digits.slice(0, -precision)}.${digits.slice(-precision)} ${names[symbol]}`;
  };
}
