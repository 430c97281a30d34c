import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { ChainTransaction } from "../transfer.ts";
import type { Identity } from "./check-on-chain.ts";
import { Finality, type ParsedPayment } from "./read-request.ts";

/** A payment as it is stored. The names are those of the first version: processes of several may share a store. */
const StoredPayment = z.object({
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
  /** The id that is in the block: the alternate one when the payer's other signature came first. */
  blockTxId: z.string().optional(),
  /** Settled in a block that a fork may still undo. */
  isReversible: z.boolean().optional(),
  failure: z.enum(["broadcast_rejected", "transaction_expired"]).optional(),
  /** Head block when the store was created: for a block up to it, a lost store may have given the success already. */
  storeBlock: z.number().optional(),
  /** Who alone may get the success until a day after the payment's end: the owner of the call that reserved it. */
  owner: z.string().optional(),
  /** Who got the one success: the mark of a caller; null while nobody did. */
  answeredTo: z.string().nullable(),
});

/** What is remembered of a payment; its parser takes the stored form. */
export const PaymentRecord = StoredPayment.transform(({ twinId, ...record }) => ({
  ...record,
  /** The id of the same transaction in the other packing. */
  alternateId: twinId,
}));
export type PaymentRecord = z.infer<typeof PaymentRecord>;

/** The text that every version reads. */
export function toStoredText({ alternateId, ...record }: PaymentRecord): string {
  const stored: z.infer<typeof StoredPayment> = { ...record, twinId: alternateId };
  return JSON.stringify(stored);
}

/** A payment as it is claimed, for `owner` where its caller has one: nothing was sent yet, and nobody got an answer. */
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
    amountMillis: transfer.amountMillis,
    finality,
    transaction: transfer.transaction,
    ...(owner !== undefined && { owner }),
    answeredTo: null,
  };
}

const MAX_MARKS = 10_000;

export type SettleOptions = {
  /** Who repeats the same body with this key gets the answer that was given to it. */
  idempotencyKey?: string;
  /** Aborted when the caller went away: a success that nobody hears of stays there for the next caller. */
  signal?: AbortSignal;
};

/**
 * `mark` is the same for repeats of one body under one key, and never the same for two requests without a key. `owner` is
 * for whom the caller reserves a payment: the mark of its key, or else the holder whose secret it brings.
 */
export type SettleRequester = {
  mark: string;
  owner: string | undefined;
  isKeyed: boolean;
  isGone: () => boolean;
};

/**
 * Tells callers apart by their keys. A key counts for one payment of one resource: who guesses somebody else's has
 * neither its answer nor its place, and no key has to be remembered. Servers of the official packages have no key, and
 * pass on what the payer sent: then the payer's secret tells them from those who read the payment in a block.
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

/** Creates a set of marks that forgets the oldest of too many. */
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
