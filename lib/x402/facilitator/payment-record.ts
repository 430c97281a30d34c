import { z } from "zod";
import type { ChainTransaction } from "../transfer.ts";
import type { Identity } from "./check-on-chain.ts";
import { Finality, type Payment } from "./read-request.ts";

/** What is remembered of a payment. */
export const PaymentRecord = z.object({
  /** `reserved`: nothing was sent yet, or it is not known; `broadcast`: a node has taken it. */
  state: z.enum(["reserved", "broadcast", "settled", "failed"]),
  txId: z.string(),
  twinId: z.string(),
  payer: z.string(),
  network: z.string(),
  expirationMs: z.number(),
  amountMillis: z.number(),
  finality: Finality,
  transaction: z.custom<ChainTransaction>((value) => typeof value === "object" && value !== null),
  /** The block that its transaction refers to: it can only be in a later one. */
  refBlock: z.number().optional(),
  blockNum: z.number().optional(),
  /** The id that is in the block: the twin's when the payer's other signature came first. */
  blockTxId: z.string().optional(),
  /** Settled in a block that a fork may still undo. */
  isReversible: z.boolean().optional(),
  failure: z.enum(["broadcast_rejected", "transaction_expired"]).optional(),
  /** Head block when the store was created: for a block up to it, a lost store may have given the success already. */
  storeBlock: z.number().optional(),
  /** Who got the one success: the mark of a caller; null while nobody did. */
  answeredTo: z.string().nullable(),
});
export type PaymentRecord = z.infer<typeof PaymentRecord>;

/** A payment as it is claimed: nothing was sent yet, and nobody got an answer. */
export function newRecord(
  { transfer, network }: Payment,
  identity: Identity,
  finality: Finality,
): PaymentRecord {
  return {
    state: "reserved",
    ...identity,
    payer: transfer.from,
    network,
    expirationMs: transfer.expirationMs,
    amountMillis: transfer.amountMillis,
    finality,
    transaction: transfer.transaction,
    answeredTo: null,
  };
}
