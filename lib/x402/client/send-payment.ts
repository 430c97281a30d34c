import { decodeBase64Json, HEADER_PAYMENT, HEADER_V2_PAYMENT, MAX_SENT_CHARACTERS } from "../header.ts";
import { asRecord } from "./as-record.ts";
import { readRequest, send } from "./logical-request.ts";
import type { PaymentHeaderName } from "./read-offers.ts";

export type SendPaymentOptions = RequestInit & {
  /** The text of the payment's header, from `signPayment`. */
  payment: string;
  /** Sends the requests (default: the global `fetch`). */
  fetch?: typeof fetch;
};

/**
 * Sends a request with a signed payment, for the first time or again; the payment is charged only once. Tries
 * up to six times while the server is busy or unreachable. The payment never leaves its address.
 * @throws TypeError without a payment; the errors of `fetch` after the last try; PaymentError
 * `redirected_after_payment`
 * @example const response = await sendPayment("https://shop.example/article", { payment: header });
 */
export async function sendPayment(
  input: string | URL | Request,
  { payment, fetch: fetcher = (...request) => fetch(...request), ...init }: SendPaymentOptions,
): Promise<Response> {
  if (typeof payment !== "string" || payment === "")
    throw new TypeError("payment must be the text of a payment's header");
  const request = await readRequest(input, init);
  // Loaded with the first payment rather than with the page.
  const { deliverPayment } = await import("./deliver-payment.ts");
  const sent = { header: payment, sentAs: headerNameOf(payment) };
  const { response, next } = await deliverPayment(fetcher, request, request.url, sent);
  return next ? send(fetcher, next, next.url) : response;
}

/** Returns the name of the header for a payment; version 2 has its own. */
function headerNameOf(payment: string): PaymentHeaderName {
  try {
    const { x402Version } = asRecord(decodeBase64Json(payment, MAX_SENT_CHARACTERS));
    return x402Version === 2 ? HEADER_V2_PAYMENT : HEADER_PAYMENT;
  } catch {
    // The text cannot be read here; the seller will say what is wrong with it.
    return HEADER_PAYMENT;
  }
}
