import { encodeBase64Json } from "../header.ts";
import type { PaymentHeader } from "../paywall/read-payment.ts";

/** The key of the payment in the `_meta` of a `tools/call` request. */
export const META_PAYMENT = "x402/payment";
/** The key of the receipt in the `_meta` of a result. */
export const META_RECEIPT = "x402/payment-response";

/** Stands for a payment that can't be encoded; it never decodes to one. */
const UNREADABLE = "-";

/**
 * Returns the payment of a call in the form of a header, or null. The specification requires an object; some
 * clients send base64 of its JSON.
 */
export function paymentIn(meta: Readonly<Record<string, unknown>> | undefined): PaymentHeader | null {
  const payment = meta?.[META_PAYMENT];
  if (payment === undefined || payment === null) return null;
  return { version: 1, text: typeof payment === "string" ? payment : encode(payment) };
}

function encode(payment: unknown): string {
  try {
    return encodeBase64Json(payment);
  } catch {
    // For instance, the object is nested too deeply.
    return UNREADABLE;
  }
}
