import { z } from "zod";
import { CodedError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { returnCauses } from "./return-causes.ts";

/** Marks a memo whose transfers are all to be returned, so that none of them counts later. */
const RETURNED = "returned";

/** The use of a sent transfer, which a facilitator stores under the transfer and under its memo. */
const TransferUse = z.object({
  txId: z.string(),
  operation: z.number(),
  payer: z.string(),
  answeredTo: z.string(),
  /** The cause, if the transfer is owed back though it came in time. */
  cause: z.enum(returnCauses).optional(),
});
export type TransferUse = z.infer<typeof TransferUse>;

/** Creates the mark of a transfer that is owed back. */
export const returnedUse = (transfer: Omit<TransferUse, "answeredTo">): TransferUse => ({
  ...transfer,
  answeredTo: RETURNED,
});

/** Returns whether a transfer has counted for its memo. */
export const isCounted = (use: TransferUse | null): use is TransferUse =>
  use !== null && use.answeredTo !== RETURNED;

/** Returns whether no transfer with the memo counts any more. */
export const isReturned = (use: TransferUse | null): boolean => use?.answeredTo === RETURNED;

/** The place of a memo: the chain's CAIP-2 name and the account that is paid. */
export type MemoPlace = { caip: string; payTo: string; memo: string };

const memoKeyOf = ({ caip, payTo, memo }: MemoPlace) => `x402:memo:${caip}:${payTo}:${memo}`;
const transferKeyOf = ({ caip }: MemoPlace, { txId, operation }: TransferUse) =>
  `x402:transfer:${caip}:${txId}:${operation}`;

/** Reads the use of a memo. @throws CodedError `degraded` */
export async function readUse(store: Pick<Store, "get">, place: MemoPlace): Promise<TransferUse | null> {
  const text = await store.get(memoKeyOf(place));
  try {
    return text === null ? null : TransferUse.parse(JSON.parse(text));
  } catch (cause) {
    throw new CodedError("degraded", { cause });
  }
}

/** Stores a use, unless the transfer or another one with its memo has one. Returns whether it was stored. */
export function writeUse(
  store: Pick<Store, "commit">,
  place: MemoPlace,
  use: TransferUse,
  seconds: number,
): Promise<boolean> {
  const keys = [memoKeyOf(place), transferKeyOf(place, use)];
  return store.commit({
    expect: keys.map((key) => [key, null] as const),
    set: keys.map((key) => [key, JSON.stringify(use), seconds] as const),
  });
}
