import { decodeBase64Json, encodeBase64Json, MAX_PAYMENT_CHARACTERS } from "./header.ts";
import * as schemas from "./schemas.ts";
import type { PaymentPayload } from "./types.ts";

/**
 * Encodes a payment as the text of the `x-payment` header: base64 of its JSON.
 * @throws RangeError if it is longer than the 8 KiB that a server reads
 */
export function encodePayment(payment: PaymentPayload): string {
  const text = encodeBase64Json(payment);
  if (text.length > MAX_PAYMENT_CHARACTERS) throw new RangeError("the payment is longer than 8 KiB");
  return text;
}

/**
 * Decodes the text of an `x-payment` header. Only the facilitator decides whether the payment is valid.
 * @throws SyntaxError unless it is up to 8 KiB of base64 of JSON in the shape of a PaymentPayload
 */
export function decodePayment(text: string): PaymentPayload {
  if (typeof text !== "string") throw new SyntaxError("not a text");
  const parsed = schemas.PaymentPayload.safeParse(decodeBase64Json(text, MAX_PAYMENT_CHARACTERS));
  if (!parsed.success) throw new SyntaxError("not a payment");
  return parsed.data;
}
