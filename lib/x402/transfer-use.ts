import { z } from "zod";
import { CodedError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { returnCauses } from "./return-causes.ts";

/** Marks a memo whose transfers are all to be returned, so that none of them counts later. */
const RETURNED = "returned";
/** Marks a transfer that the seller has paid back, so that it never counts. Others with its memo still may. */
const REFUNDED = "refunded";

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

/** Creates the mark of a transfer that the seller has paid back. */
export const refundedUse = (transfer: Omit<TransferUse, "answeredTo">): TransferUse => ({
  ...transfer,
  answeredTo: REFUNDED,
});

/** Returns whether a transfer has counted for its memo. */
export const isCounted = (use: TransferUse | null): use is TransferUse =>
  use !== null && use.answeredTo !== RETURNED && use.answeredTo !== REFUNDED;

/** Returns whether the seller has paid the transfer of the use back. */
export const isRefunded = (use: TransferUse | null): boolean => use?.answeredTo === REFUNDED;

/** The place of a memo: the chain's CAIP-2 name and the account that is paid. */
export type MemoPlace = { caip: string; payTo: string; memo: string };

/** Returns the store key of a memo's use. */
export const memoKeyOf = ({ caip, payTo, memo }: MemoPlace) => `x402:memo:${caip}:${payTo}:${memo}`;
/** Returns the store key of a transfer's use. */
export const transferKeyOf = (
  { caip }: Pick<MemoPlace, "caip">,
  { txId, operation }: Pick<TransferUse, "txId" | "operation">,
) => `x402:transfer:${caip}:${txId}:${operation}`;

/** Reads the use of a memo. @throws CodedError `degraded` */
export const readUse = async (store: Pick<Store, "get">, place: MemoPlace): Promise<TransferUse | null> =>
  parseUse(await store.get(memoKeyOf(place)));

/** Returns whether the seller has paid a transfer back, whatever its memo. @throws CodedError `degraded` */
export const isPaidBack = async (
  store: Pick<Store, "get">,
  place: Pick<MemoPlace, "caip">,
  transfer: Pick<TransferUse, "txId" | "operation">,
): Promise<boolean> => isRefunded(parseUse(await store.get(transferKeyOf(place, transfer))));

/** Parses the text of a use. @throws CodedError `degraded` */
export function parseUse(text: string | null): TransferUse | null {
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
