import { z } from "zod";
import { isMils, type Mils } from "../../mils.ts";
import type { Store } from "../../store/store.ts";
import type { ChainTransaction } from "../transfer.ts";
import type { PartOfChange } from "./end-payment.ts";

/** A refund as it is stored, before its transfer is sent. */
const StoredRefund = z.object({
  /** `pending`: the transfer may still enter a block; `done`: it is in one that no fork can undo. */
  state: z.enum(["pending", "done"]),
  /** The refunded payment. */
  paymentId: z.string(),
  to: z.string(),
  /** Of HIVE too, 1/1000. */
  amountMillis: z.custom<Mils>(isMils),
  reason: z.string(),
  /** The time in ISO 8601. */
  requestedAt: z.string(),
  txId: z.string(),
  alternateId: z.string(),
  expirationMs: z.number(),
  /** The signed transfer, which is sent again as it is. */
  transaction: z.custom<ChainTransaction>((value) => typeof value === "object" && value !== null),
  blockNum: z.number().optional(),
});

/** The record of a refund; its parser accepts the stored form. */
const RefundRecord = StoredRefund.transform(({ amountMillis, ...record }) => ({
  ...record,
  amountMils: amountMillis,
}));
export type RefundRecord = z.infer<typeof RefundRecord>;

function toStoredText({ amountMils, ...record }: RefundRecord): string {
  const stored: z.infer<typeof StoredRefund> = { ...record, amountMillis: amountMils };
  return JSON.stringify(stored);
}

/** A record together with its stored text, which must be unchanged when it is replaced. */
export type RefundEntry = { record: RefundRecord; text: string };

const MAX_LISTED = 1000;
/** The most transfers of a transaction that are looked for. */
const MAX_OPERATIONS = 64;

/**
 * Creates the book of an account's refunds on a chain, one for each payment. A store may hold the books of
 * several accounts, and of a sandbox. Refunds are never deleted, because a payment remains refundable forever.
 */
export function createRefundBook(store: Store, { chainId, account }: { chainId: string; account: string }) {
  const keyOf = (paymentId: string) => `x402:refund:${chainId}:${account}:${paymentId}`;
  /** The refunds that are not done, scored by the expiration of their transfers. */
  const pendingKey = `x402:refunds:pending:${chainId}:${account}`;

  const find = async (paymentId: string): Promise<RefundEntry | null> => {
    const text = await store.get(keyOf(paymentId));
    return text === null ? null : { record: RefundRecord.parse(JSON.parse(text)), text };
  };

  return {
    find,

    /**
     * Stores a record in place of `earlier`, or as a new record, with the rest of its change; `null` if another process
     * has stored one meanwhile, or the rest is out of date.
     */
    async write(
      record: RefundRecord,
      earlier: RefundEntry | null,
      rest?: PartOfChange,
    ): Promise<RefundEntry | null> {
      const text = toStoredText(record);
      const key = keyOf(record.paymentId);
      const isWritten = await store.commit({
        expect: [[key, earlier?.text ?? null], ...(rest?.expect ?? [])],
        set: [[key, text], ...(rest?.set ?? [])],
        delete: rest?.delete ?? [],
        scores: [[pendingKey, record.paymentId, record.state === "pending" ? record.expirationMs : null]],
      });
      return isWritten ? { record, text } : null;
    },

    /** Counts the recorded refunds of one transaction's transfers that went to an account with a memo. */
    async countOf(txId: string, { to, memo }: { to: string; memo: string }): Promise<number> {
      const ids = [txId, ...Array.from({ length: MAX_OPERATIONS }, (_, index) => `${txId}:${index + 1}`)];
      const found = await Promise.all(ids.map(find));
      return found.filter((entry) => {
        const [[, sent]] = entry?.record.transaction.operations ?? [[]];
        return sent?.to === to && sent.memo === memo;
      }).length;
    },

    /** Lists the payments whose refunds are not done, earliest expiration first. */
    listPending(): Promise<string[]> {
      return store.range(pendingKey, Number.POSITIVE_INFINITY, MAX_LISTED);
    },
  };
}
