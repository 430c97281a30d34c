/** The reasons why a payment is not refunded. */
export type RefundErrorCode =
  | "payment_not_found"
  | "payment_not_final"
  | "not_paid_to_account"
  | "amount_too_high"
  | "already_refunded";

/** Thrown by `refund` if a payment is not refunded. Nothing was sent. */
export class RefundError extends Error {
  override readonly name = "RefundError";

  constructor(
    readonly code: RefundErrorCode,
    message: string,
  ) {
    super(message);
  }
}
