import { HEADER_PAYMENT, HEADER_V2_PAYMENT } from "../header.ts";
import type { Returning } from "./come-back.ts";
import type { Spent } from "./day-book.ts";
import type { HttpBuyer } from "./http-buyer.ts";
import { type LogicalRequest, readRequest, send } from "./logical-request.ts";
import { openBuyer } from "./open-buyer.ts";
import { type PayerSettings, type PayingFetchOptions, readFetcher } from "./options.ts";
import type { Quote } from "./quote.ts";
import type { PaymentHeaderName } from "./read-offers.ts";

/** The headers that can hold a payment of the caller. */
const ownNames: readonly PaymentHeaderName[] = [HEADER_PAYMENT, HEADER_V2_PAYMENT];

/** A `fetch` that pays, quotes prices, and reports its spending. */
export type PayingFetch = typeof fetch & {
  /** @throws PaymentError `budget_unavailable`, or `chain_unavailable` with a store in the budget */
  spent(): Promise<Spent>;
  /**
   * Sends a request without a payment, and returns the price that this client would pay for it, or why it
   * would not. An answer other than 402 is discarded.
   * @throws the errors of `fetch`
   * @example const { offers, refusal } = await pay.quote("https://shop.example/article");
   */
  quote(input: string | URL | Request, init?: RequestInit): Promise<Quote>;
};

/**
 * Creates a `fetch` that pays: on a 402 answer of version 1 or 2, it signs a transfer and sends the request
 * again. While an earlier payment for the same request may still reach the chain, it resends that payment
 * instead of signing another. If that is refused because the price has changed, the call waits until two
 * nodes say that the payment can no longer land (two minutes), and pays the new price once. With `postingKey`
 * or `signMessage`, it first returns to the account's earlier purchases by a signature. The returned function
 * rejects with PaymentError if it does not pay.
 * @throws TypeError for invalid options.
 * @example const pay = createPayingFetch({ account: "alice", activeKey: "5J...", maxPayment: "0.100 HBD" });
 * const article = await pay("https://shop.example/article");
 */
export function createPayingFetch(options: PayingFetchOptions): PayingFetch {
  const { fetcher, signMessage, rest } = readFetcher(options);
  const { load, spent, settings } = openBuyer(rest, fetcher);
  const returning = signMessage && returningOf(settings, signMessage);
  let httpBuyer: HttpBuyer | undefined;
  const loadHttpBuyer = async (): Promise<HttpBuyer> => {
    const [{ createHttpBuyer }, buyer] = await Promise.all([import("./http-buyer.ts"), load()]);
    httpBuyer ??= createHttpBuyer(buyer, fetcher, returning);
    return httpBuyer;
  };

  const payingFetch: typeof fetch = async (input, init) => {
    const request = await readRequest(input, init);
    const own = ownNames.find((name) => request.headers.has(name));
    if (own) return sendOwn(fetcher, request, own);
    const first = await send(fetcher, request, request.url);
    // The answer to a HEAD request contains nothing to buy.
    if (first.status !== 402 || request.method === "HEAD") return first;
    return (await loadHttpBuyer()).buy(request, first);
  };
  return Object.assign(payingFetch, {
    spent,
    async quote(input: string | URL | Request, init?: RequestInit) {
      const request = await readRequest(input, init);
      for (const name of ownNames) request.headers.delete(name);
      const answer = await send(fetcher, request, request.url);
      return (await loadHttpBuyer()).quote(request, answer);
    },
  });
}

/** Sends a request with a payment of the caller, which no redirect takes elsewhere. */
async function sendOwn(
  fetcher: typeof fetch,
  request: LogicalRequest,
  sentAs: PaymentHeaderName,
): Promise<Response> {
  const { followRedirect } = await import("./deliver-payment.ts");
  const { url, headers } = request;
  const answer = await send(fetcher, request, url, { header: headers.get(sentAs) ?? "", sentAs });
  const next = await followRedirect(answer, request, url, "redirected_after_payment");
  return next ? send(fetcher, next, next.url) : answer;
}

const returningOf = ({ rules, chain, hosts }: PayerSettings, sign: Returning["sign"]): Returning => ({
  ...{ account: rules.account, chainId: chain.chainId, sign },
  mayAsk: (url) => hosts === null || hosts.includes(new URL(url)),
});
