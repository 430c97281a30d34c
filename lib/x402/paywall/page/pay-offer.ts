import { findHead } from "../../client/find-head.ts";
import { makeHolder } from "../../client/holder.ts";
import { encodeBase64Json } from "../../header.ts";
import type { PaymentPayload, PaymentRequired } from "../../types.ts";
import { askForTransfer, findKeychain } from "./ask-keychain.ts";
import { comeBack } from "./come-back.ts";
import { texts } from "./data.ts";
import { byId, say } from "./elements.ts";
import { inTurn } from "./in-turn.ts";
import { placeOf } from "./kept-claims.ts";
import { dropPayment, keepPayment, readPayments, termsOf } from "./kept-payments.ts";
import type { PageData } from "./page-data.ts";
import { prepareTransfer } from "./prepare-transfer.ts";
import { readReceiptText } from "./receipt.ts";
import { sendPayment } from "./send-payment.ts";
import { isContent, takeContent } from "./take-content.ts";

/**
 * The interval between looks for the extension, and the time after which the page says that it is missing.
 */
const LOOK_MS = 100;
const MISSING_MS = 1000;

/** The chain's time after a payment's expiration in which a fork can still return its transfer to a block. */
const BURIED_MS = 60_000;

/**
 * Refusals by the chain, and those of no payment, because a server in between has removed it. Until the payment expires,
 * it may reach a block, so it is sent again and no other is signed.
 */
const undecided = ["broadcast_rejected", "payment_rejected", "payment_required", ""];

type OfferData = Extract<PageData, { bought?: undefined }>;

/**
 * Offers payment with Hive Keychain through the page's form, once the extension is there, and first sends again what an
 * earlier page has sent. `onElsewhere` is called if another page of this browser has opened the content.
 */
export function offerPayment({ offer: offered, nodes, refusals }: OfferData, onElsewhere: () => void): void {
  const [kept] = readPayments();
  if (!offered && !kept) return;
  const form = byId<HTMLFormElement>("form");
  const button = byId<HTMLButtonElement>("button");
  const back = byId<HTMLButtonElement>("back");
  const input = byId<HTMLInputElement>("account");
  let offer = offered;
  const isIdle = () => !button.disabled;

  const sign = async (account: string): Promise<PaymentPayload> => {
    if (!offer) throw new Error(texts.changed);
    say(texts.askingTime);
    const prepared = await prepareTransfer(account, offer, nodes);
    const { transfer, nonce, leftMs } = prepared;
    offer = prepared.offer;
    const signatures = await askForTransfer(transfer, { account, leftMs, isIdle });
    const signedTransaction = { ...transfer, signatures };
    return {
      x402Version: 1,
      scheme: "exact",
      network: prepared.offer.network,
      payload: { signedTransaction, nonce, holder: makeHolder() },
    };
  };

  /** @throws Error with the reason for a 402 */
  const refuse = async (response: Response, payment: PaymentPayload | null): Promise<never> => {
    const { code = "", error, accepts } = (await response.json()) as PaymentRequired;
    if (payment && (!undecided.includes(code) || (await isBuried(payment, nodes)))) dropPayment(payment);
    if (code === "payment_replayed") onElsewhere();
    offer = accepts[0] ?? offer;
    throw new Error(refusals[code] ?? error ?? texts.refused);
  };

  /**
   * Sends the payment that this browser has sent before, or else the `fresh` one. Returns false if there is none. If
   * another page has bought the content since its receipt was `last`, nothing is sent.
   */
  const deliver = (last: string | null, fresh?: PaymentPayload): Promise<boolean> => {
    say(fresh || readPayments().length > 0 ? texts.onItsWay : "");
    return inTurn(`x402-payments:${placeOf(location.href)}`, async () => {
      const [payment = fresh] = readPayments();
      if (payment === fresh && readReceiptText() !== last) {
        say("");
        onElsewhere();
        return true;
      }
      if (!payment) return false;
      keepPayment(payment);
      say(texts.paying);
      const response = await sendPayment(encodeBase64Json(payment));
      if (response.status === 402) return refuse(response, payment);
      await takeContent(response, payment, termsOf(payment).amount);
      dropPayment(payment);
      return true;
    });
  };

  const pay = async (account: string): Promise<void> => {
    const last = readReceiptText();
    if (!(await deliver(last))) await deliver(last, await sign(account));
  };

  const enter = async (account: string): Promise<void> => {
    const response = await comeBack(account, isIdle);
    if (response.status === 402) return refuse(response, null);
    if (!isContent(response)) throw new Error(texts.unreachable);
    return takeContent(response, null, offer?.maxAmountRequired ?? "");
  };

  /** Runs one action at a time for the account in the form. */
  const work = (task: (account: string) => Promise<unknown>): void => {
    const account = input.value.trim().replace(/^@/, "").toLowerCase();
    for (const one of [button, back]) one.disabled = true;
    task(account)
      .catch((error: Error) => say(error instanceof TypeError ? texts.unreachable : error.message))
      .finally(() => {
        for (const one of [button, back]) one.disabled = false;
      });
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    work(pay);
  });
  back.onclick = () => {
    if (form.reportValidity()) work(enter);
  };
  awaitKeychain(form, nodes);
  if (!kept) return;
  // The payment is sent again without the extension too.
  form.hidden = false;
  input.value ||= termsOf(kept).from;
  work(() => deliver(readReceiptText()));
}

/** Returns whether the chain's time says that no block can contain the payment any more, unless one does already. */
async function isBuried(payment: PaymentPayload, nodes: readonly string[]): Promise<boolean> {
  const head = await findHead(nodes);
  return typeof head !== "string" && head.isAgreed && head.timeMs > termsOf(payment).endMs + BURIED_MS;
}

/** Shows the form once the extension is there, and until then explains how to install it. */
function awaitKeychain(form: HTMLElement, nodes: readonly string[]): void {
  const missing = byId("none");
  missing.hidden = true;
  let isFound = false;
  setTimeout(() => {
    missing.hidden = isFound;
  }, MISSING_MS);
  const look = () => {
    if (!findKeychain() || nodes.length === 0) {
      setTimeout(look, LOOK_MS);
      return;
    }
    isFound = true;
    form.hidden = false;
    missing.hidden = true;
  };
  look();
}
