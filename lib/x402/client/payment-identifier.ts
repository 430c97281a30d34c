import { PAYMENT_IDENTIFIER } from "../header.ts";
import { asRecord } from "./as-record.ts";

/**
 * Returns the announced extensions, with an id for the payment if `payment-identifier` is among them. If the
 * answer is lost, the server returns it again under that id.
 */
export function identified(extensions: Record<string, unknown>): Record<string, unknown> {
  const announced = extensions[PAYMENT_IDENTIFIER];
  if (typeof announced !== "object" || announced === null) return extensions;
  const info = { ...asRecord(asRecord(announced).info), id: `pay_${crypto.randomUUID()}` };
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...announced, info } };
}
