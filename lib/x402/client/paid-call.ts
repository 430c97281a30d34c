import type { PaymentPayload, PaymentPayloadV2 } from "../types.ts";

/** A request for payment that did not come over HTTP. */
export type AskedPayment = {
  /**
   * The unparsed message that asks for payment, of version 1 or 2: `{ x402Version, accepts, resource, … }`.
   */
  required: unknown;
  /**
   * The address of the server that asks for payment, such as "https://mcp.example/mcp", or of any other
   * scheme with a host. Limits by host, approvals and reports use it. A resource in the message that is a web
   * address must be on the same host, or on one of `allowedResourceHosts`.
   */
  url: string | URL;
};

/** A call that has to be paid. */
export type PaidCall<Answer> = AskedPayment & {
  /**
   * Identifies the call, for instance by its method, tool and arguments. An equal call to the same server
   * resends a payment that has bought nothing yet, instead of signing another.
   */
  request: string;
  signal?: AbortSignal;
  /**
   * Makes the call with its payment, and makes it again with the same payment if that can still get the
   * answer. With `sendTransfer`, the payment is a `PaymentOfTransfer`, to be passed on unchanged.
   */
  send(
    payment: PaymentPayload | PaymentPayloadV2,
    info: { isRepeat: boolean },
  ): Promise<AnswerToPaidCall<Answer>>;
};

/** The answer to a call with a payment, whose messages are unparsed. */
export type AnswerToPaidCall<Answer> = {
  /** The value that `pay` resolves to. */
  value: Answer;
  /** The server's settlement, `{ success, transaction, … }`. */
  receipt?: unknown;
  /** The message that asks for payment again, if the payment was refused. */
  required?: unknown;
  /**
   * True if the answer is of no use, for instance because the server is busy, so the payment is good for
   * a retry.
   */
  isUnserved?: boolean;
};
