import type { PaymentPayload, PaymentPayloadV2 } from "../types.ts";

/** A request for payment that did not come by HTTP. */
export type AskedPayment = {
  /** The message that asks, of version 1 or 2 and unparsed: `{ x402Version, accepts, resource, … }`. */
  required: unknown;
  /**
   * The address of the server that asks, such as "https://mcp.example/mcp", or of any other scheme with a host. Limits
   * by host, approvals and reports name it. A resource in the message that is a web address must be on the same host,
   * or on one of `allowedResourceHosts`.
   */
  url: string | URL;
};

/** A call that has to be paid. */
export type PaidCall<Answer> = AskedPayment & {
  /**
   * Identifies the call, for instance by its method, tool and arguments: an equal one to the same server sends a
   * payment that has brought nothing yet, instead of signing another.
   */
  request: string;
  signal?: AbortSignal;
  /** Makes the call with its payment; again with the same one where that may still bring the answer. */
  send(
    payment: PaymentPayload | PaymentPayloadV2,
    info: { isRepeat: boolean },
  ): Promise<AnswerToPaidCall<Answer>>;
};

/** The answer to a call with a payment, its messages unparsed. */
export type AnswerToPaidCall<Answer> = {
  /** What `pay` resolves with. */
  value: Answer;
  /** The server's settlement, `{ success, transaction, … }`. */
  receipt?: unknown;
  /** The message that asks for payment again, if the payment was refused. */
  required?: unknown;
  /** True if nothing useful came, for instance because the server is busy: the payment is good for a repeat. */
  isUnserved?: boolean;
};
