import { formatMillis } from "../amount.ts";
import { decodeBase64Json } from "../base64-json.ts";
import { HEADER_PAYMENT_RESPONSE } from "../header.ts";
import type { Offer } from "./choose-offer.ts";

const MAX_RECEIPT_LENGTH = 16_384;

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
    offer,
    response,
    isRepeat,
  }: { url: string; offer: Offer; response: Response | undefined; isRepeat: boolean },
): void {
  const { payTo, amountMillis, requirements } = offer;
  const made: MadePayment = {
    ...{ url, payTo, amount: formatMillis(amountMillis), network: requirements.network },
    ...{ status: response?.status ?? null, txId: response ? txIdOf(response) : null, isRepeat },
  };
  Promise.resolve(made)
    .then(onPayment)
    .catch(() => {
      // The listener's own affair.
    });
}

function txIdOf(response: Response): string | null {
  try {
    const receipt = decodeBase64Json(response.headers.get(HEADER_PAYMENT_RESPONSE) ?? "", MAX_RECEIPT_LENGTH);
    const { txId } = receipt as { txId?: unknown };
    return typeof txId === "string" && /^[0-9a-f]{40}$/.test(txId) ? txId : null;
  } catch {
    // No receipt, or none that can be read.
    return null;
  }
}
