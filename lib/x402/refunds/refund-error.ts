/** The reasons why a call refunds nothing. */
export type RefundErrorCode =
  | "payment_not_found"
  | "payment_not_final"
  | "not_paid_to_account"
  | "operation_missing"
  | "payment_counted"
  | "payment_in_use"
  | "amount_too_high"
  | "already_refunded";

/**
 * Thrown by `refund` if a call refunds nothing. It has sent no transfer; with `already_refunded`, an earlier
 * refund has.
 */
export class RefundError extends Error {
  override readonly name = "RefundError";

  constructor(
    readonly code: RefundErrorCode,
    message: string,
  ) {
    super(message);
  }
}
