import type { SettleResponse } from "../types.ts";

/**
 * The answer of `/settle` with the fields that other x402 software expects; such software drops unknown keys
 * but retains `extra`.
 */
export type Settlement = SettleResponse & {
  transaction: string;
  network: string;
  extra?: { blockNum: number };
};
