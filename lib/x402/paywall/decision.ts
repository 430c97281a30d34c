import type { SignedOffers } from "../offer-receipt/signer.ts";
import type { PaymentRequired, SettleResponse, TransferReturn } from "../types.ts";
import type { RejectionCode, unavailableCodes } from "./refusals.ts";
import type { SentAnswer } from "./sent-answer.ts";

/** The adapter's next step for a request. */
export type PaywallDecision =
  | { kind: "preflight" }
  | Rejected
  | Answered
  | {
      kind: "payment-required";
      required: PaymentRequired & { code: string; error: string };
      /** Absent if the seller signs nothing. */
      signedOffers?: SignedOffers;
      retryAfterSeconds?: number;
    }
  | Unavailable
  | Admitted;

/** A decision after which the request does not reach the handler. */
export type Refused = Exclude<PaywallDecision, Admitted>;

type UnavailableCode = (typeof unavailableCodes)[number];

/** The decision that the same request must not be sent again. */
export type Rejected = { kind: "rejected"; code: RejectionCode };

/** The decision to send the answer that the payment brought before. */
export type Answered = { kind: "answered"; answer: SentAnswer };

/** The decision that the same request may be sent again, with the same payment. */
export type Unavailable = { kind: "unavailable"; code: UnavailableCode; retryAfterSeconds: number };

/** The decision that the request is paid, so that the handler can run. */
export type Admitted = {
  kind: "admitted";
  payer: string;
  txId: string;
  /** The receipt; `null` if the payment is settled only after the handler. */
  settlement: SettleResponse | null;
  delivery: Delivery;
};

/** The result of a request without a valid payment, for the reason `code`. */
export type Unpaid = {
  kind: "unpaid";
  code: string;
  /** The time after which the same payment may count. */
  retryAfterSeconds?: number;
  /** The ticket that stays open, so that the next offer is the same. */
  openTicket?: string;
  /** The sent transfers that buy nothing, and are returned. */
  returns?: readonly TransferReturn[];
};

/** The facts about a payment that a handler receives. */
export type PaidContext = Pick<Admitted, "payer" | "txId">;

/**
 * The end of a delivery: all of its content was sent, or it broke off after some of it, or before any of it.
 */
export type DeliveryEnd = "whole" | "broken" | "unsent";

/** The receipt of a payment, with the extension that signs it, if the seller signs and delivers. */
export type Receipt = SettleResponse & { extensions?: Record<string, unknown> };

/** The start of a delivery: the receipt, or the answer in place of the content, with the receipt of what was settled. */
export type Begun =
  | { kind: "begun"; settlement: Receipt }
  | { kind: "refused"; refusal: Refused; settlement: Receipt | null };

/**
 * Carries the work on an admitted request to its end. The adapter calls one of `begin`, `fail` and `leave`,
 * once. None rejects.
 */
export type Delivery = {
  /** True if `end` can store the answer. */
  keepsAnswer: boolean;
  /**
   * Records that the content is about to be sent, and settles the payment first if it is not settled yet. If
   * either fails, none of the content must be sent.
   */
  begin(): Promise<Begun>;
  /**
   * Records that the content was sent, or will not be; called once after `begin` resolved to `begun`. Resolves when that
   * is stored, which may take as long as the store is down. `answer` is the complete answer, if it is to be stored.
   */
  end(how: DeliveryEnd, answer?: SentAnswer | null): Promise<void>;
  /** Records that the answer is of no use, so that the same payment can be sent again. */
  fail(): Promise<void>;
  /**
   * Records that the client disconnected before the content was sent, so that the same payment can be sent
   * again, and the payer can return without a payment.
   */
  leave(): Promise<void>;
};

export const rejected = (code: RejectionCode): Rejected => ({ kind: "rejected", code });

export function unavailable(code: UnavailableCode, retryAfterSeconds: number): Unavailable {
  return { kind: "unavailable", code, retryAfterSeconds };
}

export const unpaid = (code: string, details: Omit<Unpaid, "kind" | "code"> = {}): Unpaid => ({
  kind: "unpaid",
  code,
  ...details,
});

/**
 * The answer in place of content whose delivery could not be recorded; the same payment can be sent again.
 */
export const notWrittenDown = unavailable("settlement_pending", 2);
