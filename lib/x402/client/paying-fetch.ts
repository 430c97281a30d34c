import { HEADER_PAYMENT } from "../header.ts";
import { LEAST_LIFE_MS } from "./build-transfer.ts";
import { createChainTime } from "./chain.ts";
import { allowedOffers, type Offer, readOffers, saysReplayed } from "./choose-offer.ts";
import { createSpending, type Spent } from "./day-book.ts";
import { createUndelivered, type LogicalRequest, readRequest, send, tellPayment } from "./made-payment.ts";
import { type PayingFetchOptions, readOptions } from "./options.ts";
import { PaymentError } from "./payment-error.ts";
import { isUnserved, sendPayment } from "./send-payment.ts";
import { signOffer } from "./sign-payment.ts";
import { createSigner } from "./signer.ts";

/** A `fetch` that pays, and tells what it has spent. */
export type PayingFetch = typeof fetch & {
  /** @throws PaymentError `budget_unavailable`; with a store in the budget also `chain_unavailable` */
  spent(): Promise<Spent>;
};

type Paid = { offer: Offer; header: string; isRepeat?: boolean };

/**
 * Creates a `fetch` that pays: on a 402 answer it signs a transfer and asks again. One call signs at most once.
 * The returned function rejects with PaymentError when it will not pay.
 * @throws TypeError or RangeError for options that make no sense.
 * @example const pay = createPayingFetch({ account: "alice", activeKey: "5J...", maxPayment: 0.1 });
 * const article = await pay("https://shop.example/article");
 */
export function createPayingFetch(options: PayingFetchOptions): PayingFetch {
  const { chain, rules, budget, onPayment, hosts, resourceHosts, fetcher } = readOptions(options);
  const { account } = rules;
  const sign = createSigner(account, options, chain.chainId);
  const chainTime = createChainTime(chain.nodes);
  // What is counted over a restart needs a clock that goes on meanwhile: the one by which the payments themselves end.
  const spending = createSpending(budget, account, budget.store && chainTime.now);
  const undelivered = createUndelivered();

  const payFor = async (offers: readonly Offer[], host: string, signal: AbortSignal) => {
    const left = await spending.left(host);
    const affordable = offers.filter(({ amountMillis }) => amountMillis <= left);
    if (affordable.length === 0)
      throw new PaymentError("over_budget", "The payment does not fit the budget.");
    const head = await chainTime.readHead(signal);
    const offer = affordable.find(({ validBeforeMs }) => validBeforeMs >= head.timeMs + LEAST_LIFE_MS);
    if (!offer) throw new PaymentError("offer_expired", "The offer is no longer valid by the chain's clock.");
    const reservation = await spending.reserve(host, offer.amountMillis);
    try {
      return { offer, header: await signOffer(sign, account, offer, head) };
    } catch (error) {
      await reservation.release().catch(() => {
        // Then it goes on counting as spent, which is on the safe side.
      });
      throw error;
    }
  };

  const deliver = async (request: LogicalRequest, url: string, { offer, header, isRepeat = false }: Paid) => {
    let response: Response | undefined;
    try {
      response = await sendPayment(fetcher, request, url, header);
      return response;
    } finally {
      if (!response || isUnserved(response.status)) undelivered.keep(request, url, offer, header);
      tellPayment(onPayment, { url, offer, response, isRepeat });
    }
  };

  const payingFetch: typeof fetch = async (input, init) => {
    const request = await readRequest(input, init);
    const first = await send(fetcher, request, request.url);
    // The answer to a HEAD holds nothing that could be bought.
    if (first.status !== 402 || request.method === "HEAD" || request.headers.has(HEADER_PAYMENT))
      return first;
    const url = first.url || request.url;
    assertHere(request, first, url);
    const asked = new URL(url);
    if (hosts && !hosts.includes(asked))
      throw new PaymentError("host_not_allowed", "This host is not on the list of those that may be paid.");

    const offers = allowedOffers(await readOffers(first), {
      ...rules,
      site: { asked, others: resourceHosts },
    });
    const kept = undelivered.take(request, url, offers);
    if (kept) {
      const response = await deliver(request, url, { ...kept, isRepeat: true });
      // Used before means delivered before, with the answer lost: the caller decides whether to buy again.
      if (response.status !== 402 || (await saysReplayed(response))) return response;
      await response.body?.cancel();
    }
    return deliver(request, url, await payFor(offers, asked.host, request.signal));
  };
  return Object.assign(payingFetch, { spent: () => spending.spent() });
}

/** A 402 from where the caller did not ask is not paid. */
function assertHere(request: LogicalRequest, response: Response, url: string): void {
  const isElsewhere = new URL(url).origin !== new URL(request.url).origin;
  const mayHaveChangedMethod = response.redirected && request.method !== "GET" && request.method !== "HEAD";
  if (isElsewhere || mayHaveChangedMethod)
    throw new PaymentError("redirected", "The request was redirected; ask the final address to pay there.");
}
