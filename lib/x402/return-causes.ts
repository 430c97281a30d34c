import type { TransferToReturn } from "./types.ts";

/** The reasons why a sent transfer buys nothing. */
export const returnCauses = [
  "paid_too_little",
  "paid_too_much",
  "paid_other_coin",
  "paid_other_memo",
  "paid_too_late",
  "paid_twice",
] as const satisfies ReadonlyArray<TransferToReturn["cause"]>;

/** The most transfers that one answer lists as to be returned. */
export const MOST_TO_RETURN = 64;
