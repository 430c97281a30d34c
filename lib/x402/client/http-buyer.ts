import type { Mils } from "../../mils.ts";
import { isUnserved } from "../unserved.ts";
import type { Buyer, Order, SellerAnswer } from "./buyer.ts";
import { comeBack, type Returning } from "./come-back.ts";
import { deliverPayment, isReading } from "./deliver-payment.ts";
import { type LogicalRequest, send } from "./logical-request.ts";
import type { PaidAnswer } from "./made-payment.ts";
import { PaymentError } from "./payment-error.ts";
import { subjectOf } from "./payments-under-way.ts";
import type { Quote } from "./quote.ts";
import { readCode, readOffers } from "./read-offers.ts";
import { untilRead } from "./until-read.ts";

/** The most redirects from one paid address to another that one call pays. */
const MAX_REDIRECTS = 5;

/** Buys over HTTP, and asks for prices. */
export type HttpBuyer = {
  /** Buys the content of a request that was refused with 402, and returns the answer. @throws PaymentError */
  buy(request: LogicalRequest, refusal: Response): Promise<Response>;
  quote(request: LogicalRequest, answer: Response): Promise<Quote>;
};

/** The amounts that one call has paid, by the subjects of their requests. */
type Paid = ReadonlyMap<string, Mils>;

/** Creates the part of a paying `fetch` that pays, which is loaded when the first 402 arrives. */
export function createHttpBuyer(buyer: Buyer, fetcher: typeof fetch, returning: Returning | null): HttpBuyer {
  const buy = async (
    request: LogicalRequest,
    refusal: Response,
    paid: Paid,
    isSecondPrice = false,
  ): Promise<Response> => {
    const url = addressOf(request, refusal);
    const subject = subjectOf(request, url);
    if (paid.has(subject) || paid.size > MAX_REDIRECTS)
      throw redirectedAfterPayment("too often, or in a circle");
    const order: Order<Response> = {
      ...{ url, subject, signal: request.signal },
      entries: await readOffers(refusal),
      paidMils: [...paid.values()].reduce((sum, mils) => sum + mils, 0),
      async send(payment) {
        const { next, ...answered } = await deliverPayment(fetcher, request, url, payment);
        const answer = toSellerAnswer(answered, request.signal);
        if (!next) return answer;
        return {
          ...answer,
          async untilRead(onEnd) {
            const content = await follow(next, url, new Map([...paid, [subject, payment.amountMils]]));
            return untilRead(content, request.signal, (isRead) =>
              onEnd(isRead && !isUnserved(content.status)),
            );
          },
        };
      },
    };
    if (isSecondPrice) return buyer.buy(order);
    return buyer.buy({
      ...order,
      async payAgain() {
        // The offers are requested again, because those in the refusal may have expired meanwhile.
        const next = await send(fetcher, request, request.url);
        return next.status === 402 ? buy(request, next, paid, true) : next;
      },
    });
  };

  /** Returns to an earlier purchase, or else buys. */
  const open = async (request: LogicalRequest, refusal: Response, paid: Paid): Promise<Response> => {
    if (!returning) return buy(request, refusal, paid);
    const url = addressOf(request, refusal);
    const answer = await comeBack(fetcher, { request, url, refusal }, returning);
    return answer.status === 402 ? buy(request, answer, paid) : answer;
  };

  /** Follows the redirect of a request that was paid at `url`, and pays there for itself what its origin sells. */
  const follow = async (next: LogicalRequest, url: string, paid: Paid): Promise<Response> => {
    const answer = await send(fetcher, next, next.url);
    const isElsewhere = new URL(answer.url || next.url).origin !== new URL(url).origin;
    if (answer.status !== 402 || isElsewhere) return answer;
    try {
      return await open(next, answer, paid);
    } catch (error) {
      if (!(error instanceof PaymentError) || error.code === "redirected_after_payment") throw error;
      throw redirectedAfterPayment("to an address that was not paid", error);
    }
  };

  return {
    buy: (request, refusal) => open(request, refusal, new Map()),
    async quote(request, answer) {
      const { status } = answer;
      if (status !== 402) {
        await answer.body?.cancel();
        return { status, offers: [], refusal: null };
      }
      const entries = await readOffers(answer);
      try {
        return { status, ...(await buyer.quote({ url: addressOf(request, answer), entries })) };
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        return { status, offers: [], refusal: error };
      }
    },
  };
}

const redirectedAfterPayment = (how: string, cause?: unknown) =>
  new PaymentError("redirected_after_payment", `The paid request was redirected ${how}.`, { cause });

function toSellerAnswer({ response, receipt }: PaidAnswer, signal: AbortSignal): SellerAnswer<Response> {
  const { status } = response;
  return {
    ...{ value: response, status, receipt },
    kind: status === 402 ? "refused" : isUnserved(status) ? "unserved" : "served",
    readRefusal: async () => ({
      code: await readCode(response),
      entries: await readOffers(response.clone()),
    }),
    untilRead: (onEnd) => untilRead(response, signal, onEnd),
    discard: async () => void (await response.body?.cancel()),
  };
}

/**
 * Returns the address that asks for payment, without a fragment, which no server receives.
 * @throws PaymentError if it is not the one that the caller requested
 */
function addressOf(request: LogicalRequest, response: Response): string {
  const [url = ""] = (response.url || request.url).split("#");
  const isElsewhere = new URL(url).origin !== new URL(request.url).origin;
  const mayHaveChangedMethod = response.redirected && !isReading(request.method);
  if (isElsewhere || mayHaveChangedMethod)
    throw new PaymentError("redirected", "The request was redirected; ask the final address to pay there.", {
      sites: { asked: new URL(request.url).host, named: new URL(url).host },
    });
  return url;
}
