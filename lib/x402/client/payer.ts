import { decodeBase64Json, MAX_SENT_CHARACTERS } from "../header.ts";
import { createMemoryStore } from "../memory-store.ts";
import type { PaymentPayload, PaymentPayloadV2 } from "../types.ts";
import { guardBudgetStore } from "./budget-store.ts";
import { createChainTime } from "./chain.ts";
import { createSpending, type Spent } from "./day-book.ts";
import { isPending, readReceipt, type SentPayment } from "./made-payment.ts";
import { type PayerOptions, readOptions } from "./options.ts";
import { subjectOf } from "./payments-under-way.ts";
import type { Purchase, Purchaser, SellerAnswer } from "./purchase.ts";
import type { Quote } from "./quote.ts";
import { codeIn, entriesIn } from "./read-offers.ts";
import { createSigner } from "./signer.ts";
import { wait } from "./wait.ts";

const MAX_TRIES = 6;
const WAIT_SECONDS = 1;

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
    async pay<Answer>(call: PaidCall<Answer>): Promise<Answer> {
      const url = new URL(call.url).href;
      const purchase: Purchase<Answer> = {
        ...{ url, signal: call.signal ?? new AbortController().signal, allowsNames: true },
        subject: subjectOf({ method: "call", body: new TextEncoder().encode(call.request) }, url),
        entries: entriesIn(call.required),
        send: async (payment, isRepeat) => toSellerAnswer(await sendPatiently(call, payment, isRepeat)),
      };
      const { buy } = await load();
      return buy({ ...purchase, payAgain: (entries) => buy({ ...purchase, entries }) });
    },
    async quote({ required, url }) {
      const asked = { url: new URL(url).href, entries: entriesIn(required), allowsNames: true };
      return { status: null, ...(await (await load()).quote(asked)) };
    },
    spent,
  };
}

/** Makes a call until its answer is not "try again", with the same payment, so that it cannot be charged twice. */
async function sendPatiently<Answer>(
  { send, signal }: PaidCall<Answer>,
  { header }: SentPayment,
  isRepeat: boolean,
): Promise<AnswerToPaidCall<Answer>> {
  const payment = decodeBase64Json(header, MAX_SENT_CHARACTERS) as PaymentPayload | PaymentPayloadV2;
  for (let tries = 1; ; tries++) {
    const answer = await send(payment, { isRepeat: isRepeat || tries > 1 });
    if (!(answer.isUnserved || isPending(answer.receipt)) || tries >= MAX_TRIES) return answer;
    await wait(WAIT_SECONDS, signal);
  }
}

function toSellerAnswer<Answer>(answer: AnswerToPaidCall<Answer>): SellerAnswer<Answer> {
  const { value, receipt, required, isUnserved } = answer;
  const isRefused = required !== undefined || isPending(receipt);
  return {
    ...{ value, status: null, receipt: readReceipt(receipt) },
    kind: isUnserved ? "unserved" : isRefused ? "refused" : "served",
    readRefusal: async () => ({ code: codeIn(required, receipt, required), entries: entriesIn(required) }),
    async untilRead(onEnd) {
      await onEnd(true);
      return value;
    },
    discard: async () => {},
  };
}

/** Checks the options, and prepares what pays within them; the part that pays is loaded when something asks for it. */
export function openPurchaser(options: PayerOptions): {
  load: () => Promise<Purchaser>;
  spent: () => Promise<Spent>;
} {
  const read = readOptions(options);
  const { chain, rules, budget } = read;
  const { account } = rules;
  const sign = createSigner(account, options, chain.chainId);
  const chainTime = createChainTime(chain.nodes);
  const store = budget.store ? guardBudgetStore(budget.store) : createMemoryStore();
  // Amounts counted across restarts need a clock that continues meanwhile: the one by which the payments themselves
  // expire.
  const spending = createSpending(budget, store, account, budget.store && chainTime.now);
  let loading: Promise<Purchaser> | null = null;
  const load = async () => {
    loading ??= import("./purchase.ts")
      .then(({ createPurchaser }) => createPurchaser({ ...read, sign, chainTime, store, spending }))
      .catch((error: unknown) => {
        // Nothing was paid, and the next call tries again.
        loading = null;
        throw error;
      });
    return loading;
  };
  return { load, spent: () => spending.spent() };
}
