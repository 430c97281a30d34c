import { isUnserved } from "../unserved.ts";
import type { Buyer, Order, SellerAnswer } from "./buyer.ts";
import { comeBack, type Returning } from "./come-back.ts";
import { deliverPayment } from "./deliver-payment.ts";
import { type LogicalRequest, send } from "./logical-request.ts";
import type { PaidAnswer } from "./made-payment.ts";
import { PaymentError } from "./payment-error.ts";
import { subjectOf } from "./payments-under-way.ts";
import type { Quote } from "./quote.ts";
import { readCode, readOffers } from "./read-offers.ts";
import { untilRead } from "./until-read.ts";

/** Buys over HTTP, and asks for prices. */
export type HttpBuyer = {
  /** Buys the content of a request that was refused with 402, and returns the answer. @throws PaymentError */
  buy(request: LogicalRequest, refusal: Response): Promise<Response>;
  quote(request: LogicalRequest, answer: Response): Promise<Quote>;
};

/** Creates the part of a paying `fetch` that pays, which is loaded when the first 402 arrives. */
export function createHttpBuyer(buyer: Buyer, fetcher: typeof fetch, returning: Returning | null): HttpBuyer {
  const buy = async (
    request: LogicalRequest,
    refusal: Response,
    isSecondPrice = false,
  ): Promise<Response> => {
    const url = addressOf(request, refusal);
    const order: Order<Response> = {
      ...{ url, subject: subjectOf(request, url), signal: request.signal },
      entries: await readOffers(refusal),
      async send(payment) {
        return toSellerAnswer(await deliverPayment(fetcher, request, url, payment), request.signal);
      },
    };
    if (isSecondPrice) return buyer.buy(order);
    return buyer.buy({
      ...order,
      async payAgain() {
        // The offers are requested again, because those in the refusal may have expired meanwhile.
        const next = await send(fetcher, request, request.url);
        return next.status === 402 ? buy(request, next, true) : next;
      },
    });
  };

  return {
    async buy(request, refusal) {
      if (!returning) return buy(request, refusal);
      const url = addressOf(request, refusal);
      const answer = await comeBack(fetcher, { request, url, refusal }, returning);
      return answer.status === 402 ? buy(request, answer) : answer;
    },
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
 * Returns the address that asks for payment.
 * @throws PaymentError if it is not the one that the caller requested
 */
function addressOf(request: LogicalRequest, response: Response): string {
  const url = response.url || request.url;
  const isElsewhere = new URL(url).origin !== new URL(request.url).origin;
  const mayHaveChangedMethod = response.redirected && request.method !== "GET" && request.method !== "HEAD";
  if (isElsewhere || mayHaveChangedMethod)
    throw new PaymentError("redirected", "The request was redirected; ask the final address to pay there.", {
      sites: { asked: new URL(request.url).host, named: new URL(url).host },
    });
  return url;
}
