import { formatMils, type Mils } from "../../mils.ts";
import { decodeBase64Json, HEADER_PAYMENT_RESPONSE, HEADER_V2_RESPONSE } from "../header.ts";
import { asRecord } from "./as-record.ts";
import type { Counted } from "./day-book.ts";
import type { PaymentHeaderName } from "./read-offers.ts";
import { wait } from "./wait.ts";

const MAX_RECEIPT_LENGTH = 16_384;
const MAX_CONFIRM_TRIES = 4;
const CONFIRM_SECONDS = 1.5;

/** A signed payment with its terms. `header` contains the secret of its holder, so send it only to the seller. */
export type SentPayment = {
  header: string;
  /** The name of the header. */
  sentAs: PaymentHeaderName;
  amountMils: Mils;
  payTo: string;
  network: string;
  /** The budget entry of the payment; absent in payments stored by an older version. */
  counted?: Counted;
  /** The end of the offer by the chain's time, in ms since 1970, if the transfer is sent instead of signed. */
  sentUntilMs?: number;
  /** True until the wallet is asked to send the transfer, which buys nothing before. */
  isUnasked?: boolean;
  /** True if an answer without a receipt arrived, which may or may not have been the content. */
  isAnswered?: boolean;
};

/**
 * The answer to a payment, and the seller's receipt for it. An answer without a receipt can come from any
 * server between client and seller.
 */
export type PaidAnswer = { response: Response; receipt: Receipt | null };

/** A seller's confirmation that it accepted a payment, with `txId` if the receipt names it. */
export type Receipt = { txId: string | null; extensions: unknown };

/** The reason that a signed receipt proves nothing, or `receipt_unverifiable` if it could not be checked. */
export type ReceiptFault =
  | "receipt_signature_invalid"
  | "receipt_mismatch"
  | "receipt_expired"
  | "receipt_unverifiable";

/** The result of a check of a seller's signed receipt. */
export type CheckedReceipt = {
  /** The receipt as a JWS, which proves the purchase to others; `null` if the seller sent none that does. */
  signedReceipt: string | null;
  receiptFault?: ReceiptFault;
  /** The receipt with the fault, which may have to be checked again. */
  refusedReceipt?: string;
};

/** A payment that was sent, and its result. */
export type MadePayment = {
  /** The requested address. */
  url: string;
  payTo: string;
  /** The amount, such as "0.050 HBD". */
  amount: string;
  network: string;
  /** The status of the answer, or `null` if none arrived or outside HTTP. */
  status: number | null;
  /** The id of the transaction, as the seller's receipt claims it. */
  txId: string | null;
  /** True if the payment had been sent earlier without a result; its amount is spent only once. */
  isRepeat: boolean;
  /** The receipt that the seller signed, a JWS, or `null`; only with `signedOffers`, and only after a check. */
  signedReceipt?: string | null;
  /**
   * The fault of a signed receipt: another key, another payment or resource, another hour, or that the seller's DID
   * document or the chain's time was unavailable.
   */
  receiptFault?: ReceiptFault;
  /** The receipt with the fault, a JWS, which can be checked again later. */
  refusedReceipt?: string;
};

/** The headers of reported payments, which contain secrets that no listener needs. */
const headers = new WeakMap<MadePayment, string>();

/**
 * Returns the id of the transaction that `nodes` have in a block for a reported payment, whatever its seller says. Asks
 * again for a few seconds, because nodes differ by a block; null if they still have none.
 */
export async function confirmPayment(nodes: readonly string[], made: MadePayment): Promise<string | null> {
  const header = headers.get(made);
  if (header === undefined) return null;
  const { findTransaction } = await import("./payment-fate.ts");
  for (let tries = 1; ; tries++) {
    const txId = await findTransaction(nodes, header);
    if (txId !== null || tries >= MAX_CONFIRM_TRIES) return txId;
    await wait(CONFIRM_SECONDS);
  }
}

/** Receives a client's payments. It is not awaited, and its errors are ignored. */
export type OnPayment = (payment: MadePayment) => unknown;

/** Reports a payment. The page is paid for, so a failure here must not withhold it from the caller. */
export function tellPayment(
  onPayment: OnPayment | undefined,
  {
    url,
    payment,
    answer,
    isRepeat,
    checkReceipt = async () => ({}),
  }: {
    url: string;
    payment: SentPayment;
    answer: { status: number | null; receipt: Receipt | null } | undefined;
    isRepeat: boolean;
    /** Checks a signed receipt, if signatures matter. */
    checkReceipt?: (receipt: Receipt | null) => Promise<Partial<CheckedReceipt>>;
  },
): void {
  const { payTo, amountMils, network } = payment;
  const made: MadePayment = {
    ...{ url, payTo, amount: formatMils(amountMils), network },
    ...{ status: answer?.status ?? null, txId: answer?.receipt?.txId ?? null, isRepeat },
  };
  const receipt = answer?.receipt ?? null;
  void checkReceipt(receipt)
    .catch(() => ({ signedReceipt: null }))
    .then((checked) => {
      const reported: MadePayment = { ...made, ...checked };
      headers.set(reported, payment.header);
      return onPayment?.(reported);
    })
    .catch(() => {
      // The listener handles its own errors.
    });
}

/**
 * Reads the settlement that an answer reports for its payment, or returns `null` if there is none to read.
 */
export function readSettlement({ headers }: Response): unknown {
  // Only the header of version 2 holds the extensions, if there are both.
  const text = headers.get(HEADER_V2_RESPONSE) ?? headers.get(HEADER_PAYMENT_RESPONSE) ?? "";
  try {
    return decodeBase64Json(text, MAX_RECEIPT_LENGTH);
  } catch {
    return null;
  }
}

/** Reads a settlement as a receipt, or returns `null` if it is not one. */
export function readReceipt(settlement: unknown): Receipt | null {
  const { success, txId, transaction, extensions } = asRecord(settlement);
  if (success !== true) return null;
  const id = txId ?? transaction;
  return { txId: typeof id === "string" && /^[0-9a-f]{40}$/.test(id) ? id : null, extensions };
}

/** Returns whether a settlement can still succeed because its transaction is on the way. */
export function isPending(settlement: unknown): boolean {
  const { success, errorReason, transaction } = asRecord(settlement);
  return success === false && errorReason === "settlement_pending" && Boolean(transaction);
}
