import { formatMillis } from "../amount.ts";
import { decodeBase64Json, HEADER_PAYMENT_RESPONSE, HEADER_V2_RESPONSE } from "../header.ts";
import type { Counted } from "./day-book.ts";

const MAX_RECEIPT_LENGTH = 16_384;

/** A signed payment with its terms. `header` holds the secret of its holder: it goes to the seller alone. */
export type SentPayment = {
  header: string;
  amountMillis: number;
  payTo: string;
  network: string;
  /** Where it counts as spent; payments that an older version kept do not say. */
  counted?: Counted;
  /** Whether it was answered with something that had no receipt, and may have been its content or not. */
  isAnswered?: boolean;
};

/** The answer to a payment, and the seller's receipt for it: without one it may be anybody's on the way. */
export type PaidAnswer = { response: Response; receipt: Receipt | null };

/** That a seller has taken a payment; `txId` where the receipt names it. */
type Receipt = { txId: string | null };

/** A payment that was sent, and what came of it. */
export type MadePayment = {
  /** What was asked for. */
  url: string;
  payTo: string;
  /** Such as "0.050 HBD". */
  amount: string;
  network: string;
  /** The status of the answer; `null` where none came. */
  status: number | null;
  /** The id of the transaction, as the seller's receipt has it. */
  txId: string | null;
  /** Whether it had been sent before, for nothing: then it is not spent once more. */
  isRepeat: boolean;
};

/** What a client tells of its payments; it is not waited for, and what it throws is lost. */
export type OnPayment = (payment: MadePayment) => unknown;

/** Tells of a payment. The page is paid for: nothing that goes wrong here may keep it from the caller. */
export function tellPayment(
  onPayment: OnPayment | undefined,
  {
    url,
    payment,
    answer,
    isRepeat,
  }: { url: string; payment: SentPayment; answer: PaidAnswer | undefined; isRepeat: boolean },
): void {
  const { payTo, amountMillis, network } = payment;
  const made: MadePayment = {
    ...{ url, payTo, amount: formatMillis(amountMillis), network },
    ...{ status: answer?.response.status ?? null, txId: answer?.receipt?.txId ?? null, isRepeat },
  };
  Promise.resolve(made)
    .then(onPayment)
    .catch(() => {
      // The listener's own affair.
    });
}

/** Reads the receipt of an answer; `null` where it has none that can be read. */
export function readReceipt({ headers }: Response): Receipt | null {
  const text = headers.get(HEADER_PAYMENT_RESPONSE) ?? headers.get(HEADER_V2_RESPONSE) ?? "";
  try {
    const receipt = decodeBase64Json(text, MAX_RECEIPT_LENGTH);
    const { success, txId, transaction } = receipt as Record<string, unknown>;
    if (success !== true) return null;
    const id = txId ?? transaction;
    return { txId: typeof id === "string" && /^[0-9a-f]{40}$/.test(id) ? id : null };
  } catch {
    return null;
  }
}
