/** The ways in which a seller's handler sends content past the paywall on Node. */
export type BypassErrorCode =
  | "upgrade_without_socket"
  | "stream_refused"
  | "answer_without_receipt"
  | "answer_cut_off";

/**
 * Reports a handler that sends content past the response of its payment. With `upgrade_without_socket` and
 * `stream_refused` nothing is sent and the payment stays valid; with `answer_without_receipt` the payment is used up;
 * with `answer_cut_off` the connection is closed, and `cause` is the store's error if there was one.
 */
export class BypassError extends Error {
  override readonly name = "BypassError";

  constructor(
    readonly code: BypassErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
