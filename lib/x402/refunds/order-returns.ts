import { countOf } from "../return-book.ts";
import type { TransferToReturn } from "../types.ts";

/**
 * Orders transfers for their return: by turns the one whose amount times its wait is largest, and the oldest. So a
 * stranger delays a large one only with more money that is bound for as long, from however many accounts, and no small
 * one waits forever.
 */
export function orderReturns(transfers: readonly TransferToReturn[]): TransferToReturn[] {
  const newest = transfers.reduce((block, { blockNum }) => Math.max(block, blockNum), 0);
  const weightOf = (transfer: TransferToReturn) => countOf(transfer) * (newest - transfer.blockNum + 1);
  const byWeight = transfers.toSorted((one, other) => weightOf(other) - weightOf(one));
  const byAge = transfers.toSorted((one, other) => one.blockNum - other.blockNum);
  return [...new Set(byWeight.flatMap((heaviest, index) => [heaviest, byAge[index] ?? heaviest]))];
}
