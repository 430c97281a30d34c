import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { isMils, type Mils } from "../../mils.ts";
import type { ChainTransaction } from "../transfer.ts";
import type { Identity } from "./check-on-chain.ts";
import { type Finality, finalities } from "./finality.ts";
import type { SettleOptions } from "./options.ts";
import type { ParsedPayment } from "./read-request.ts";

/**
 * A payment as it is stored. The field names are those of the first version, because processes of several
 * versions can share a store.
 */
const StoredPayment = z.object({
  /** `reserved`: not sent yet, or not known to be; `broadcast`: accepted by a node. */
  state: z.enum(["reserved", "broadcast", "settled", "failed"]),
  txId: z.string(),
  twinId: z.string(),
  payer: z.string(),
  network: z.string(),
  expirationMs: z.number(),
  amountMillis: z.custom<Mils>(isMils),
  finality: z.enum(finalities),
  transaction: z.custom<ChainTransaction>((value) => typeof value === "object" && value !== null),
  /** The block to which the payment's transaction refers; the transaction can only be in a later block. */
  refBlock: z.number().optional(),
  blockNum: z.number().optional(),
  /** The id in the block: the alternate one if the payer's other signature came first. */
  blockTxId: z.string().optional(),
  /** True if it is settled in a block that a fork can still undo. */
  isReversible: z.boolean().optional(),
  failure: z.enum(["broadcast_rejected", "transaction_expired"]).optional(),
  /**
   * The head block when the store was created. For a block up to this one, a lost store may already have
   * assigned the success.
   */
  storeBlock: z.number().optional(),
  /**
   * The only caller that can get the success until a day after the payment's end: the one whose call reserved
   * it.
   */
  owner: z.string().optional(),
  /** The mark of the caller that got the only success; null if none has got it. */
  answeredTo: z.string().nullable(),
});

/** The record of a payment; its parser accepts the stored form. */
export const PaymentRecord = StoredPayment.transform(({ twinId, amountMillis, ...record }) => ({
  ...record,
  amountMils: amountMillis,
  /** The id of the same transaction in the other packing. */
  alternateId: twinId,
}));
export type PaymentRecord = z.infer<typeof PaymentRecord>;

/** Returns the record as text that every version can read. */
export function toStoredText({ alternateId, amountMils, ...record }: PaymentRecord): string {
  const stored: z.infer<typeof StoredPayment> = {
    ...record,
    twinId: alternateId,
    amountMillis: amountMils,
  };
  return JSON.stringify(stored);
}

/**
 * Creates the record of a payment when it is claimed, for `owner` if its caller has one. The payment is
 * neither sent nor answered yet.
 */
export function newRecord(
  { transfer, network }: ParsedPayment,
  identity: Identity,
  { finality, owner }: { finality: Finality; owner: string | undefined },
): PaymentRecord {
  return {
    state: "reserved",
    ...identity,
    payer: transfer.from,
    network,
    expirationMs: transfer.expirationMs,
    amountMils: transfer.amountMils,
    finality,
    transaction: transfer.transaction,
    ...(owner !== undefined && { owner }),
    answeredTo: null,
  };
}

const MAX_MARKS = 10_000;

/**
 * `mark` is the same for repeats of one body under one key, and unique for each request without a key.
 * `owner` is the party for whom the caller reserves a payment: the mark of its key, or the holder whose
 * secret it presents.
 */
export type SettleRequester = {
  mark: string;
  owner: string | undefined;
  isKeyed: boolean;
  isGone: () => boolean;
};

/**
 * Identifies callers by their keys. A key counts for one payment of one resource, so guessing another
 * caller's key yields neither its answer nor its place, and no key has to be stored. Servers of the official
 * packages have no key and pass on the payer's message; the payer's secret in it distinguishes them from
 * anyone who read the payment in a block.
 */
export function requesterOf(
  { idempotencyKey, signal }: SettleOptions,
  { transfer, resource, holder }: ParsedPayment,
): SettleRequester {
  const isGone = () => signal?.aborted === true;
  if (idempotencyKey === undefined) {
    const owner = holder === undefined ? undefined : digestOf(["holder", holder, transfer.ids.legacy]);
    return { mark: randomUUID(), owner, isKeyed: false, isGone };
  }
  const mark = digestOf([idempotencyKey, transfer.ids.legacy, resource]);
  return { mark, owner: mark, isKeyed: true, isGone };
}

const digestOf = (subject: unknown): string =>
  createHash("sha256").update(JSON.stringify(subject)).digest("hex");

/** Creates a set of marks that drops the oldest beyond its limit. */
export function createMarks(): Pick<Set<string>, "has" | "add"> {
  const marks = new Set<string>();
  return {
    has: (mark) => marks.has(mark),
    add(mark) {
      const [oldest] = marks;
      if (marks.size >= MAX_MARKS && oldest !== undefined) marks.delete(oldest);
      return marks.add(mark);
    },
  };
}
