/** Why the client would not pay, or could not. */
export const paymentErrorCodes = [
  "no_offer",
  "unknown_network",
  "unknown_scheme",
  "unknown_version",
  "not_hbd",
  "malformed_offer",
  "offer_expired",
  "over_limit",
  "over_budget",
  "budget_unavailable",
  "host_not_allowed",
  "payee_not_allowed",
  "resource_mismatch",
  "redirected",
  "signing_failed",
  "chain_unavailable",
] as const;

export type PaymentErrorCode = (typeof paymentErrorCodes)[number];

/** Thrown instead of paying; nothing was signed then. Never holds a key, and no text that a server chose. */
export class PaymentError extends Error {
  readonly code: PaymentErrorCode;

  constructor(code: PaymentErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "PaymentError";
    this.code = code;
  }
}
