import type { PaymentRequired, SettleResponse } from "../types.ts";

/** What an adapter has to do with a request. */
export type Admission =
  | { kind: "preflight" }
  | { kind: "payment-required"; required: PaymentRequired & { code: string; error: string } }
  | { kind: "unavailable"; code: UnavailableCode; retryAfterSeconds: number }
  | Admitted;

/** The request does not reach the handler. */
export type Refused = Exclude<Admission, Admitted>;

export type UnavailableCode = "facilitator_unavailable" | "settlement_pending" | "degraded";

/** Paid: the handler may run. */
export type Admitted = {
  kind: "admitted";
  payer: string;
  txId: string;
  settlement: SettleResponse;
  delivery: Delivery;
};

/** What a handler is told of the payment. */
export type Payment = Pick<Admitted, "payer" | "txId">;

/** Ends the work on an admitted request; exactly one of the two is called, once. Neither rejects. */
export type Delivery = {
  /** The content is about to leave; `false` when that could not be written down, and then nothing may leave. */
  succeed(): Promise<boolean>;
  /** Nothing of use was answered: the same payment may come again. */
  fail(): Promise<void>;
};

export function unavailable(code: UnavailableCode, retryAfterSeconds: number): Refused {
  return { kind: "unavailable", code, retryAfterSeconds };
}

/** The answer in place of content whose delivery could not be written down: the same payment may come again. */
export const notWrittenDown = unavailable("settlement_pending", 2);
