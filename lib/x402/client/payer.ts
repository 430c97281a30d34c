import type { PaymentPayload, PaymentPayloadV2 } from "../types.ts";
import type { Spent } from "./day-book.ts";
import { openPurchaser } from "./open-purchaser.ts";
import type { PayerOptions } from "./options.ts";
import type { Quote } from "./quote.ts";
import { entriesIn } from "./read-offers.ts";

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

/** Pays for calls of any protocol, within the limits, budget and approval of its options. */
export type Payer = {
  /** Pays a call and returns its answer. @throws PaymentError instead of paying; the errors of `send` */
  pay<Answer>(call: PaidCall<Answer>): Promise<Answer>;
  /** Returns what `pay` would pay, or why it would not. Nothing is signed, reserved or approved. */
  quote(asked: AskedPayment): Promise<Quote>;
  /** @throws PaymentError `budget_unavailable`; with a store in the budget also `chain_unavailable` */
  spent(): Promise<Spent>;
};

/**
 * Creates a payer for protocols other than HTTP, such as the Model Context Protocol. It keeps payments as
 * `createPayingFetch` does: from before they are sent until their answer has come.
 * @throws TypeError or RangeError for options that make no sense.
 * @example const payer = createPayer({ account: "alice", activeKey: "5J...", maxPayment: "0.100 HBD" });
 * const answer = await payer.pay({ required, url: "https://mcp.example/mcp", request: "search dogs", send });
 */
export function createPayer(options: PayerOptions): Payer {
  const { load, spent } = openPurchaser(options);
  return {
    async pay(call) {
      const [{ payCall }, purchaser] = await Promise.all([import("./pay-call.ts"), load()]);
      return payCall(purchaser, call);
    },
    async quote({ required, url }) {
      const asked = { url: new URL(url).href, entries: entriesIn(required), allowsNames: true };
      return { status: null, ...(await (await load()).quote(asked)) };
    },
    spent,
  };
}
