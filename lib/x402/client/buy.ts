import { isUnserved } from "../unserved.ts";
import type { BudgetStore } from "./budget-store.ts";
import { LEAST_LIFE_MS } from "./build-transfer.ts";
import type { createChainTime } from "./chain.ts";
import {
  allowedOffers,
  findsNoFault,
  type Offer,
  type OfferRules,
  readOffers,
  saysReplayed,
  termsOf,
} from "./choose-offer.ts";
import type { Spending } from "./day-book.ts";
import { deliverPayment } from "./deliver-payment.ts";
import { type LogicalRequest, send } from "./logical-request.ts";
import { type PaidAnswer, tellPayment } from "./made-payment.ts";
import type { PayingFetchOptions, readOptions } from "./options.ts";
import { PaymentError } from "./payment-error.ts";
import { readPaymentFate } from "./payment-fate.ts";
import { createPaymentsUnderWay, type HeldPayment, subjectOf } from "./payments-under-way.ts";
import { signOffer } from "./sign-payment.ts";
import type { createSigner } from "./signer.ts";
import { untilRead } from "./until-read.ts";
import { wait } from "./wait.ts";

/** How often, and with which pause, a refused payment that may still land is sent again before its request gives up. */
const MAX_TRIES = 6;
const RESEND_SECONDS = 2;
/** How often, and with which pause, the chain is asked whether a refused payment has expired. */
const MAX_ASKED = 130;
const ASK_SECONDS = 3;
const MAX_DESCRIPTION = 500;

/** The dependencies of a paying client. */
type Parts = ReturnType<typeof readOptions> & {
  sign: ReturnType<typeof createSigner>;
  chainTime: ReturnType<typeof createChainTime>;
  /** Stores the payments under way. */
  store: BudgetStore;
  spending: Spending;
};

/** Buys the content of a request that was refused with 402, and returns the answer. @throws PaymentError */
export type Buy = (request: LogicalRequest, refusal: Response) => Promise<Response>;

/** Creates the part of a paying `fetch` that pays, which is loaded with the first 402. */
export function createBuyer(parts: Parts): Buy {
  const { chain, rules, budget, approve, onPayment, hosts, resourceHosts, fetcher } = parts;
  const { sign, chainTime, store, spending } = parts;
  const { account } = rules;
  const underWay = createPaymentsUnderWay(store, account, {
    isShared: budget.store !== undefined,
    now: chainTime.now,
  });

  const payFor = async (
    offers: readonly Offer[],
    { url, host, subject, signal }: Purchase,
  ): Promise<HeldPayment> => {
    const left = await spending.left(host);
    const affordable = offers.filter(({ amountMillis }) => amountMillis <= left);
    if (affordable.length === 0) throw await spending.overBudget(host, termsOf(offers[0] as Offer));
    await underWay.requireRoom(subject);
    let head = await chainTime.readHead(signal);
    const { timeMs } = head;
    const offer = affordable.find(({ validBeforeMs }) => validBeforeMs >= timeMs + LEAST_LIFE_MS);
    if (!offer)
      throw new PaymentError("offer_expired", "The offer is no longer valid by the chain's clock.", {
        offer: termsOf(affordable[0] as Offer),
      });
    if (approve) {
      await assertApproved(approve, offer, url);
      signal.throwIfAborted();
      // Approval by a person takes a while.
      head = await chainTime.readHead(signal);
    }
    const reservation = await spending.reserve(host, offer.amountMillis, termsOf(offer));
    const { amountMillis, payTo, requirements } = offer;
    try {
      const header = await signOffer(sign, account, offer, head);
      return await underWay.keep(subject, {
        ...{ header, amountMillis, payTo, network: requirements.network },
        counted: reservation.counted,
      });
    } catch (error) {
      // A failing store may have stored the payment all the same, to be sent later, so it still counts as spent.
      const mayBeKept = error instanceof PaymentError && error.code === "budget_unavailable";
      if (!mayBeKept)
        await reservation.release().catch(() => {
          // In that case it also still counts, which is the safe side.
        });
      throw error;
    }
  };

  const sendHeld = async (
    request: LogicalRequest,
    url: string,
    { payment }: HeldPayment,
    isRepeat: boolean,
  ): Promise<PaidAnswer> => {
    let answer: PaidAnswer | undefined;
    try {
      answer = await deliverPayment(fetcher, request, url, payment.header);
      return answer;
    } finally {
      tellPayment(onPayment, { url, payment, answer, isRepeat });
    }
  };

  /** Forgets a payment that can no longer land. It stops counting as spent: only its replacement counts. */
  const giveUp = async ({ payment, drop }: HeldPayment, host: string): Promise<void> => {
    // If the payment is still stored, its amount would be released twice.
    if (!(await drop()) || !payment.counted) return;
    await spending.takeBack(host, payment.amountMillis, payment.counted).catch(() => {
      // In that case it still counts as spent, which is the safe side.
    });
  };

  /** Stores a payment until its answer was read or, if it brought nothing, for a repeat of the same request. */
  const finish = async (
    { response, receipt }: PaidAnswer,
    held: HeldPayment,
    { host }: Pick<Purchase, "host">,
  ): Promise<Response> => {
    const { payment, drop, release } = held;
    if (response.status !== 402 && !isUnserved(response.status))
      return untilRead(response, async (isRead) => {
        if (isRead && receipt) await drop();
        else await release({ isAnswered: isRead });
      });
    // Only the seller claims that it was used; if the chain does not have it, the seller may still send it.
    const isSaidUsed = response.status === 402 && (await saysReplayed(response));
    const fate = isSaidUsed ? await readPaymentFate(chain.nodes, payment.header) : "open";
    if (fate === "taken") await drop();
    else if (fate === "over") await giveUp(held, host);
    else await release();
    return response;
  };

  /** Waits until it is certain whether a payment can still land. Returns true if it cannot. */
  const isOverSoon = async (header: string, signal: AbortSignal): Promise<boolean> => {
    for (let asked = 0; asked < MAX_ASKED; asked++) {
      const fate = await readPaymentFate(chain.nodes, header, signal);
      if (fate !== "open") return fate === "over";
      await wait(ASK_SECONDS, signal);
    }
    return false;
  };

  /** Returns whether a refusal asks for a price or payee other than the paid one, which the rules allow as well. */
  const asksForOtherTerms = async (
    response: Response,
    { payTo, amountMillis }: Pick<Offer, "payTo" | "amountMillis">,
    site: OfferRules["site"],
  ): Promise<boolean> => {
    if (response.status !== 402 || (await saysReplayed(response))) return false;
    const entries = await readOffers(response.clone());
    try {
      const offers = allowedOffers(entries, { ...rules, site });
      return offers.every((offer) => offer.payTo !== payTo || offer.amountMillis !== amountMillis);
    } catch {
      // There is nothing that may be paid, so the refusal is the answer.
      return false;
    }
  };

  /** Sends a payment that has brought nothing again; returns no answer once it can no longer land. */
  const sendAgain = (
    request: LogicalRequest,
    url: string,
    purchase: Purchase,
    held: HeldPayment,
  ): Promise<Response | null> =>
    leftBehind(held, async () => {
      for (let tries = 1; ; tries++) {
        const answer = await sendHeld(request, url, held, true);
        const { response } = answer;
        const { isAnswered, header } = held.payment;
        // Used before means delivered before, with the answer lost: the caller decides whether to buy again.
        const isLost = !isAnswered && response.status === 402 && (await saysReplayed(response));
        if (response.status !== 402 || isLost) return finish(answer, held, purchase);
        const fate = await readPaymentFate(chain.nodes, header, request.signal);
        // In that case the answer without a receipt was the paid content.
        const isUsed = isAnswered && fate === "taken" && (await findsNoFault(response));
        const isOpen = fate !== "over" && !isUsed;
        if (isOpen && tries >= MAX_TRIES) return finish(answer, held, purchase);
        if (isOpen) await wait(RESEND_SECONDS, request.signal);
        else if (isUsed) await held.drop();
        else await giveUp(held, purchase.host);
        await response.body?.cancel();
        if (!isOpen) return null;
      }
    });

  /** Sends all payments that have brought nothing again; returns no answer once none of them can land. */
  const sendKept = async (
    request: LogicalRequest,
    url: string,
    purchase: Purchase,
  ): Promise<Response | null> => {
    for (;;) {
      const held = await underWay.take(purchase.subject, request.signal);
      if (!held) return null;
      const answer = await sendAgain(request, url, purchase, held);
      if (answer) return answer;
    }
  };

  const buy = async (
    request: LogicalRequest,
    refusal: Response,
    isSecondPrice = false,
  ): Promise<Response> => {
    const url = refusal.url || request.url;
    assertHere(request, refusal, url);
    const asked = new URL(url);
    if (hosts && !hosts.includes(asked))
      throw new PaymentError("host_not_allowed", "This host is not on the list of those that may be paid.", {
        sites: { asked: asked.host, named: null },
      });

    const site = { asked, others: resourceHosts };
    const offers = allowedOffers(await readOffers(refusal), { ...rules, site });
    const { signal } = request;
    const purchase = { url, host: asked.host, subject: subjectOf(request, url), signal };
    const answer = await sendKept(request, url, purchase);
    if (answer) return answer;
    const held = await payFor(offers, purchase);
    const paid = await leftBehind(held, async () => {
      const answer = await sendHeld(request, url, held, false);
      const { response } = answer;
      const isToBePaidAnew =
        !isSecondPrice &&
        (await asksForOtherTerms(response, held.payment, site)) &&
        (await isOverSoon(held.payment.header, signal));
      if (!isToBePaidAnew) return finish(answer, held, purchase);
      await giveUp(held, asked.host);
      await response.body?.cancel();
      return null;
    });
    if (paid) return paid;
    const next = await send(fetcher, request, request.url);
    return next.status === 402 ? buy(request, next, true) : next;
  };

  return (request, refusal) => buy(request, refusal);
}

/** Works with a payment. If the work breaks off, the payment is left for a repeat of the same request. */
async function leftBehind<T>({ release }: HeldPayment, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await release();
    throw error;
  }
}

/** One thing to buy, and the signal of the request that buys it. */
type Purchase = { url: string; host: string; subject: string; signal: AbortSignal };

async function assertApproved(
  approve: NonNullable<PayingFetchOptions["approve"]>,
  offer: Offer,
  url: string,
): Promise<void> {
  const terms = termsOf(offer);
  const { description } = offer.requirements as { description?: unknown };
  const text = typeof description === "string" ? description.slice(0, MAX_DESCRIPTION) : undefined;
  if ((await approve({ ...terms, url, description: text })) !== true)
    throw new PaymentError("not_approved", "The payment was not approved.", { offer: terms });
}

/** Refuses to pay a 402 from an address that the caller did not request. */
function assertHere(request: LogicalRequest, response: Response, url: string): void {
  const isElsewhere = new URL(url).origin !== new URL(request.url).origin;
  const mayHaveChangedMethod = response.redirected && request.method !== "GET" && request.method !== "HEAD";
  if (isElsewhere || mayHaveChangedMethod)
    throw new PaymentError("redirected", "The request was redirected; ask the final address to pay there.", {
      sites: { asked: new URL(request.url).host, named: new URL(url).host },
    });
}
