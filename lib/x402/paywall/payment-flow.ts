import { isUnserved } from "../unserved.ts";

/**
 * The order of payment and work. `upfront`: the payment is settled, then the handler runs. `authorization`:
 * the payment is verified, the handler runs, the payment is settled, and then the content is sent.
 */
export type PaymentFlow = "upfront" | "authorization";

/** Returns whether an answer leaves its payment unused. Before the payment is settled, any error does. */
export function isFailure(status: number, flow: PaymentFlow): boolean {
  return flow === "authorization" ? status >= 400 : isUnserved(status);
}
