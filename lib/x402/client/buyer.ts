import { formatMils, type Mils } from "../../mils.ts";
import { hiveTransferLink } from "../../wallet-links/transfer-links.ts";
import { asRecord } from "./as-record.ts";
import { type BudgetStore, budgetUnavailable } from "./budget-store.ts";
import { LEAST_LIFE_MS } from "./build-transfer.ts";
import type { createChainTime } from "./chain.ts";
import { allowedOffers, isOffered, type Offer, type OfferRules, termsOf } from "./choose-offer.ts";
import type { Spending } from "./day-book.ts";
import { type Receipt, type SentPayment, tellPayment } from "./made-payment.ts";
import type { PayerOptions, PayerSettings } from "./options.ts";
import { PaymentError } from "./payment-error.ts";
import { readPaymentFate, readTransactionIds } from "./payment-fate.ts";
import { createPaymentsUnderWay, type HeldPayment } from "./payments-under-way.ts";
import { encodeTicket, signOffer } from "./prepare-payment.ts";
import { type Quote, quotedOffer } from "./quote.ts";
import type { OfferEntry } from "./read-offers.ts";
import type { SignedTerms } from "./signed-terms.ts";
import type { createSigner } from "./signer.ts";
import { haveSent } from "./transfer-sender.ts";
import { wait } from "./wait.ts";

/** The most tries of a request whose refused payment may still land. */
const MAX_TRIES = 6;
/** The pause between two such tries. */
const RESEND_SECONDS = 2;
/** The most times that the chain is asked whether a refused payment has expired. */
const MAX_ASKED = 130;
/** The pause between two such questions. */
const ASK_SECONDS = 3;

/** The dependencies of a payer. */
export type PayerParts = Omit<PayerSettings, "store" | "limits"> & {
  /** The signer; null if the wallet sends transfers itself. */
  sign: ReturnType<typeof createSigner> | null;
  chainTime: ReturnType<typeof createChainTime>;
  /** Stores the payments under way. */
  store: BudgetStore;
  /** True if other clients can share the store. */
  isShared: boolean;
  spending: Spending;
  fetcher: typeof fetch;
};

/** A seller's answer to a request with a payment; the caller gets `Answer`. */
export type SellerAnswer<Answer> = {
  value: Answer;
  /** The status of an HTTP answer. */
  status: number | null;
  receipt: Receipt | null;
  /**
   * `refused`: the seller asks for a payment again; `unserved`: the answer is of no use, and the same payment
   * can be sent again.
   */
  kind: "served" | "refused" | "unserved";
  /** Returns the reason for a refusal, if there is one, and the offers in it. The answer stays readable. */
  readRefusal(): Promise<{ code: string | undefined; entries: readonly OfferEntry[] }>;
  /**
   * Calls `onEnd` once the caller has read the answer: with `true`, or with `false` if the answer broke off.
   */
  untilRead(onEnd: (isRead: boolean) => Promise<void>): Promise<Answer>;
  /** Discards the answer, because the caller gets another one. */
  discard(): Promise<void>;
};

/** One request, and the offers that it can be paid by. */
export type Order<Answer> = {
  /** The requested address. */
  url: string;
  /**
   * Identifies the request. An equal request resends a payment that has bought nothing yet instead of signing
   * a new one.
   */
  subject: string;
  signal: AbortSignal;
  /** The offers in the refusal that asks for payment. */
  entries: readonly OfferEntry[];
  /** True outside HTTP, where the name of a resource need not be a web address. */
  allowsNames?: boolean;
  /** The amount that the call has paid at addresses which redirected it here, which counts toward `maxPayment`. */
  paidMils?: number;
  /** Sends the request with a payment. `isRepeat` is true if that payment was sent before. */
  send(payment: SentPayment, isRepeat: boolean): Promise<SellerAnswer<Answer>>;
  /** Pays a new price, in `entries`, after the first one was refused. Never pays a third price. */
  payAgain?: (entries: readonly OfferEntry[]) => Promise<Answer>;
};

export type Buyer = {
  /** Buys something, and returns the answer. @throws PaymentError */
  buy<Answer>(order: Order<Answer>): Promise<Answer>;
  /** Returns the offers that could be paid. Nothing is signed or reserved. */
  quote(asked: Pick<Order<unknown>, "url" | "entries" | "allowsNames">): Promise<Omit<Quote, "status">>;
};

/** Creates the part of a payer that pays, which is loaded when payment is first requested. */
export function createBuyer(parts: PayerParts): Buyer {
  const { chain, rules, isShared, approve, onPayment, hosts, resourceHosts, signedOffers, fetcher } = parts;
  const { sign, sendTransfer, chainTime, store, spending } = parts;
  const { account } = rules;
  const underWay = createPaymentsUnderWay(store, account, { isShared, now: chainTime.now });

  let signedTerms: Promise<SignedTerms> | undefined;
  /** Loads the verification of signatures, if they matter. */
  const loadSignedTerms = (): Promise<SignedTerms> | null => {
    if (!signedOffers) return null;
    signedTerms ??= import("./signed-terms.ts").then(({ createSignedTerms }) =>
      createSignedTerms(signedOffers, fetcher),
    );
    return signedTerms;
  };

  const hostOf = ({ url }: { url: string }) => new URL(url).host;

  const rulesAt = ({
    url,
    allowsNames = false,
    paidMils = 0,
  }: Pick<Order<unknown>, "url" | "allowsNames" | "paidMils">): OfferRules => ({
    ...rules,
    maxMils: Math.max(rules.maxMils - paidMils, 0) as Mils,
    site: { asked: new URL(url), others: resourceHosts, allowsNames },
  });

  /** @throws PaymentError if the rules allow none of the offers */
  const offersAt = (asked: Pick<Order<unknown>, "url" | "entries" | "allowsNames" | "paidMils">) => {
    const url = new URL(asked.url);
    if (!hosts || hosts.includes(url)) return allowedOffers(asked.entries, rulesAt(asked));
    throw new PaymentError("host_not_allowed", "This host is not in allowedHosts.", {
      ...{ offer: firstTerms(asked.entries, rulesAt(asked)) },
      sites: { asked: url.host, named: null },
    });
  };

  const affordableOf = async (
    offers: readonly [Offer, ...Offer[]],
    host: string,
  ): Promise<[Offer, ...Offer[]]> => {
    const left = await spending.left(host);
    const [first, ...others] = offers.filter(({ amountMils }) => amountMils <= left);
    if (!first) throw await spending.overBudget(host, termsOf(offers[0]));
    return [first, ...others];
  };

  const payFor = async (
    offers: readonly [Offer, ...Offer[]],
    { url, subject, signal }: Order<unknown>,
  ): Promise<HeldPayment> => {
    const host = hostOf({ url });
    const affordable = await affordableOf(offers, host);
    await underWay.requireRoom(subject);
    let head = await chainTime.readHead(signal);
    const { timeMs } = head;
    const isLasting = ({ validBeforeMs, maxLifeMs }: Offer) =>
      validBeforeMs >= timeMs + LEAST_LIFE_MS && maxLifeMs >= LEAST_LIFE_MS;
    const offer = affordable.find(isLasting);
    if (!offer)
      throw new PaymentError("offer_expired", "The offer is no longer valid by the chain's clock.", {
        offer: termsOf(affordable[0]),
      });
    const verifier = await loadSignedTerms();
    await verifier?.checkOffer(offer, { url, nowMs: timeMs, signal });
    if (approve) {
      await assertApproved(approve, offer, url);
      signal.throwIfAborted();
      // A person's approval can take a while.
      head = await chainTime.readHead(signal);
      await verifier?.checkOffer(offer, { url, nowMs: head.timeMs, signal });
    }
    const reservation = await spending.reserve(host, offer.amountMils, termsOf(offer));
    const { amountMils, payTo, network, sentAs } = offer;
    let held: HeldPayment;
    try {
      const header = sign ? await signOffer(sign, account, offer, head) : encodeTicket(offer);
      held = await underWay.keep(subject, {
        ...{ header, sentAs, amountMils, payTo, network },
        counted: reservation.counted,
        ...(offer.sent && { sentUntilMs: head.timeMs + offer.maxLifeMs, isUnasked: true }),
      });
    } catch (error) {
      // Despite its error, the store may have stored the payment, so it is sent later. It therefore
      // still counts as spent.
      const mayBeKept = error instanceof PaymentError && error.code === "budget_unavailable";
      if (!mayBeKept)
        await reservation.release().catch(() => {
          // The amount still counts as spent, which is the safe side.
        });
      throw error;
    }
    // Sent only once the payment is stored, so that no repeat sends it again.
    await sendStored(offer, held, host);
    return held;
  };

  /** Has the transfer of a stored payment sent, unless it is signed. */
  const sendStored = async ({ sent, payTo, amountMils }: Offer, held: HeldPayment, host: string) => {
    if (!sent || !sendTransfer) return;
    const terms = { to: payTo, amount: formatMils(amountMils), memo: sent.memo };
    const transfer = { from: account, ...terms, hiveUri: hiveTransferLink(terms) };
    const mayAsk = await held.markAsked().catch(async (error: unknown) => {
      // Only this client could have asked the wallet.
      await giveUp(held, host);
      throw error;
    });
    if (mayAsk && (await leftBehind(held, () => haveSent(sendTransfer, transfer)))) return;
    await giveUp(held, host);
    throw new PaymentError("transfer_not_sent", "The wallet did not send the transfer.");
  };

  /** Checks the signed receipt of a payment, if signatures matter. */
  const checkReceipt = async (
    receipt: Receipt | null,
    { network, header }: SentPayment,
    order: Pick<Order<unknown>, "url" | "entries" | "allowsNames">,
  ) => {
    const terms = receipt && (await loadSignedTerms());
    if (!terms) return {};
    const { site } = rulesAt(order);
    const resources = order.entries
      .map(({ entry, resource }) => asRecord(entry).resource ?? asRecord(resource).url)
      .filter((resource) => site && isOffered(resource, site));
    return terms.checkReceipt(receipt.extensions, {
      ...{ url: order.url, account, network, resources, now: chainTime.now },
      txIds: await readTransactionIds(header),
    });
  };

  const sendHeld = async <Answer>(
    order: Order<Answer>,
    { payment }: HeldPayment,
    isRepeat: boolean,
  ): Promise<SellerAnswer<Answer>> => {
    const { url, send } = order;
    let answer: SellerAnswer<Answer> | undefined;
    try {
      answer = await send(payment, isRepeat);
      return answer;
    } finally {
      tellPayment(onPayment, {
        ...{ url, payment, answer, isRepeat },
        checkReceipt: (receipt) => checkReceipt(receipt, payment, order),
      });
    }
  };

  /**
   * Forgets a payment that can no longer land, which then no longer counts as spent. Returns false if it stays stored.
   */
  const giveUp = async ({ payment, drop }: HeldPayment, host: string): Promise<boolean> => {
    // As long as the payment is stored, its amount could be released twice.
    if (!(await drop())) return false;
    if (payment.counted)
      await spending.takeBack(host, payment.amountMils, payment.counted).catch(() => {
        // The amount still counts as spent, which is the safe side.
      });
    return true;
  };

  const isReplayed = async (answer: SellerAnswer<unknown>) =>
    answer.kind === "refused" && (await answer.readRefusal()).code === "payment_replayed";

  /**
   * Stores a payment until its answer has been read or, if it bought nothing, for a repeat of the same
   * request.
   */
  const finish = async <Answer>(
    answer: SellerAnswer<Answer>,
    held: HeldPayment,
    order: Order<Answer>,
  ): Promise<Answer> => {
    const { payment, drop, release } = held;
    if (answer.kind === "served")
      return answer.untilRead(async (isRead) => {
        if (isRead && answer.receipt) await drop();
        else await release({ isAnswered: isRead });
      });
    // Only the seller says that the payment was used; if the chain does not have it, the seller can still
    // send it.
    const isSaidUsed = await isReplayed(answer);
    if (payment.sentUntilMs !== undefined) {
      // Sent money stays spent, whatever becomes of the claim.
      await (isSaidUsed || (await isWithoutUse(answer)) ? drop() : release());
      return answer.value;
    }
    const fate = isSaidUsed ? await readPaymentFate(chain.nodes, payment.header) : "open";
    if (fate === "taken") await drop();
    else if (fate === "over") await giveUp(held, hostOf(order));
    else await release();
    return answer.value;
  };

  /** Returns whether a seller says that a sent transfer buys nothing, now and later. */
  const isWithoutUse = async (answer: SellerAnswer<unknown>): Promise<boolean> => {
    const { code } = answer.kind === "refused" ? await answer.readRefusal() : { code: undefined };
    // Other codes may be about a stranger's transfer with the same memo, and this one still counts.
    return code === "paid_too_late" || code === "requirements_expired";
  };

  /**
   * Waits until a payment's fate is certain. Returns true if it can no longer land, false if it has landed or
   * its fate stays uncertain.
   */
  const isOverSoon = async (header: string, signal: AbortSignal): Promise<boolean> => {
    for (let asked = 0; asked < MAX_ASKED; asked++) {
      const fate = await readPaymentFate(chain.nodes, header, signal);
      if (fate !== "open") return fate === "over";
      await wait(ASK_SECONDS, signal);
    }
    return false;
  };

  /** Returns whether a refusal asks for another price or payee than the one paid, and the rules allow it. */
  const asksForOtherTerms = async (
    answer: SellerAnswer<unknown>,
    { payTo, amountMils }: SentPayment,
    order: Order<unknown>,
  ): Promise<boolean> => {
    if (answer.kind !== "refused") return false;
    const { code, entries } = await answer.readRefusal();
    if (code === "payment_replayed") return false;
    try {
      const offers = allowedOffers(entries, rulesAt(order));
      return offers.every((offer) => offer.payTo !== payTo || offer.amountMils !== amountMils);
    } catch {
      // The rules allow none of the offers, so the caller gets the refusal.
      return false;
    }
  };

  /**
   * Resends a payment that has bought nothing; returns null once it can no longer land, or if its content was
   * delivered after all.
   */
  const sendAgain = <Answer>(order: Order<Answer>, held: HeldPayment): Promise<{ value: Answer } | null> =>
    leftBehind(held, async () => {
      for (let tries = 1; ; tries++) {
        const answer = await sendHeld(order, held, true);
        const isRefused = answer.kind === "refused";
        const { isAnswered, header, sentUntilMs } = held.payment;
        // The payment was used, so its content was delivered but the answer was lost. The caller decides
        // whether to buy again.
        const isLost = !isAnswered && (await isReplayed(answer));
        if (!isRefused || isLost) return { value: await finish(answer, held, order) };
        if (sentUntilMs !== undefined) {
          // The earlier answer without a receipt was the paid content.
          if (!(isAnswered && (await isReplayed(answer))))
            return { value: await finish(answer, held, order) };
          await held.drop();
          await answer.discard();
          return null;
        }
        const fate = await readPaymentFate(chain.nodes, header, order.signal);
        // The earlier answer without a receipt was the paid content.
        const isUsed = isAnswered && fate === "taken" && findsNoFault((await answer.readRefusal()).code);
        const isOpen = fate !== "over" && !isUsed;
        if (isOpen && tries >= MAX_TRIES) return { value: await finish(answer, held, order) };
        if (isOpen) await wait(RESEND_SECONDS, order.signal);
        else if (isUsed) await held.drop();
        else await giveUp(held, hostOf(order));
        await answer.discard();
        if (!isOpen) return null;
      }
    });

  /** Resends all payments that have bought nothing; returns no answer once none of them can land. */
  const sendKept = async <Answer>(order: Order<Answer>): Promise<{ value: Answer } | null> => {
    for (;;) {
      const held = await underWay.take(order.subject, order.signal);
      if (!held) return null;
      if (held.payment.isUnasked) {
        // The client that stored it ended before its wallet was asked.
        if (!(await giveUp(held, hostOf(order)))) throw budgetUnavailable(new Error("a claim stays stored"));
        continue;
      }
      const answer = await sendAgain(order, held);
      if (answer) return answer;
    }
  };

  const buy = async <Answer>(order: Order<Answer>): Promise<Answer> => {
    const { signal, payAgain } = order;
    const offers = offersAt(order);
    const kept = await sendKept(order);
    if (kept) return kept.value;
    const held = await payFor(offers, order);
    const end = await leftBehind(held, async () => {
      const answer = await sendHeld(order, held, false);
      const isToBePaidAnew =
        payAgain !== undefined &&
        held.payment.sentUntilMs === undefined &&
        (await asksForOtherTerms(answer, held.payment, order)) &&
        (await isOverSoon(held.payment.header, signal));
      if (!isToBePaidAnew) {
        const value = await finish(answer, held, order);
        return async () => value;
      }
      await giveUp(held, hostOf(order));
      const { entries } = await answer.readRefusal();
      await answer.discard();
      return () => payAgain(entries);
    });
    return end();
  };

  /** Adds the remaining budget to an error about an offer. */
  const withLeft = async (error: unknown, host: string): Promise<unknown> => {
    if (!(error instanceof PaymentError) || !error.offer || error.left !== undefined) return error;
    const left = await spending.leftText(host).catch(() => undefined);
    return left === undefined ? error : Object.assign(error, { left });
  };

  return {
    async buy(order) {
      try {
        return await buy(order);
      } catch (error) {
        throw await withLeft(error, hostOf(order));
      }
    },
    async quote(asked) {
      try {
        const offers = await affordableOf(offersAt(asked), hostOf(asked));
        return { offers: offers.map((offer) => quotedOffer(offer, asked.url)), refusal: null };
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        return { offers: [], refusal: (await withLeft(error, hostOf(asked))) as PaymentError };
      }
    },
  };
}

/**
 * Returns whether a refusal's code finds no fault with the payment itself: it is used up, or there is no
 * reason.
 */
const findsNoFault = (code: string | undefined) =>
  code === undefined || code === "payment_replayed" || code === "payment_required";

/** Works on a payment. If the work breaks off, the payment is left for a repeat of the same request. */
async function leftBehind<T>({ release }: HeldPayment, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Returns the terms of the first offer that the rules allow, or else of the offer that the thrown error
 * names.
 */
function firstTerms(entries: readonly OfferEntry[], rules: OfferRules) {
  try {
    return termsOf(allowedOffers(entries, rules)[0]);
  } catch (error) {
    return (error as PaymentError).offer;
  }
}

async function assertApproved(
  approve: NonNullable<PayerOptions["approve"]>,
  offer: Offer,
  url: string,
): Promise<void> {
  const { amount, payTo, network, description } = quotedOffer(offer, url);
  if ((await approve({ amount, payTo, network, url, description })) !== true)
    throw new PaymentError("not_approved", "The payment was not approved.", { offer: termsOf(offer) });
}
