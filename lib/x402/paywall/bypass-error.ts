export type BypassErrorCode =
  | "upgrade_without_socket"
  | "stream_refused"
  | "answer_without_receipt"
  | "answer_cut_off";

/** Reports that a seller's handler on Node sends content past the response of its payment. */
export class BypassError extends Error {
  override readonly name = "BypassError";

  constructor(
    readonly code: BypassErrorCode,
    message: string,
  ) {
    super(message);
  }
}
