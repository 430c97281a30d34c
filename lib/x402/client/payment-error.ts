/**
 * Reasons why a call did not pay or, with `redirected_after_payment` and `transfer_unconfirmed`, why its payment was not
 * answered.
 */
export const paymentErrorCodes = [
  "no_offer",
  "unknown_network",
  "unknown_scheme",
  "unknown_version",
  "not_hbd",
  "malformed_offer",
  "offer_expired",
  "offer_not_signed",
  "offer_signature_invalid",
  "over_limit",
  "over_budget",
  "budget_unavailable",
  "too_many_under_way",
  "host_not_allowed",
  "payee_not_allowed",
  "flow_not_allowed",
  "splits_not_supported",
  "not_approved",
  "resource_mismatch",
  "redirected",
  "redirected_after_payment",
  "signing_failed",
  "transfer_not_sent",
  "transfer_unconfirmed",
  "chain_unavailable",
] as const;

export type PaymentErrorCode = (typeof paymentErrorCodes)[number];

/** The terms of an offer that could be parsed. */
export type PaymentOffer = {
  /** The price, such as "0.050 HBD". */
  amount: string;
  /** The account that is paid. */
  payTo: string;
  network: string;
};

/** The numbers and names behind a code, if it has any. Amounts have the form "0.050 HBD". */
export type PaymentErrorDetails = {
  /** The first offer that was not paid. */
  offer?: PaymentOffer;
  /** The limit that the offer exceeds: `maxPayment`, or the part of `budget` with the smaller remainder. */
  limit?: string;
  /** The remaining budget for this host, if one is set. */
  left?: string;
  /** The requested host, and the one in the offer or the redirect, which is `null` if there is none. */
  sites?: { asked: string; named: string | null };
};

/**
 * Thrown instead of paying. The call charges nothing, except perhaps with `redirected_after_payment` and
 * `transfer_unconfirmed`. Payments of earlier calls may still be charged, as with `too_many_under_way`. Never contains a key or text that a server chose.
 */
export class PaymentError extends Error implements PaymentErrorDetails {
  readonly code: PaymentErrorCode;
  readonly offer?: PaymentOffer;
  readonly limit?: string;
  readonly left?: string;
  readonly sites?: { asked: string; named: string | null };

  constructor(
    code: PaymentErrorCode,
    message: string,
    { cause, ...details }: { cause?: unknown } & PaymentErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PaymentError";
    this.code = code;
    Object.assign(this, details);
  }
}
