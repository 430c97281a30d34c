import { makeHolder } from "../../client/holder.ts";
import { encodeBase64Json } from "../../header.ts";
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from "../../types.ts";
import { askForTransfer, findKeychain } from "./ask-keychain.ts";
import { comeBack } from "./come-back.ts";
import { texts } from "./data.ts";
import { byId, say } from "./elements.ts";
import type { PageData } from "./page-data.ts";
import { prepareTransfer } from "./prepare-transfer.ts";
import { sendPayment } from "./send-payment.ts";
import { takeContent } from "./take-content.ts";

/**
 * The interval between looks for the extension, and the time after which the page says that it is missing.
 */
const LOOK_MS = 100;
const MISSING_MS = 1000;

/**
 * Refusals by the chain. Until the payment expires, it may reach a block, so it is sent again and no other is
 * signed.
 */
const undecided = ["broadcast_rejected", "payment_rejected"];

type OfferData = Extract<PageData, { bought?: undefined }>;

/** Offers payment with Hive Keychain through the page's form, once the extension is there. */
export function offerPayment({ offer: offered, nodes, refusals }: OfferData): void {
  if (!offered) return;
  const form = byId<HTMLFormElement>("form");
  const button = byId<HTMLButtonElement>("button");
  const back = byId<HTMLButtonElement>("back");
  let offer: PaymentRequirements = offered;
  /** The signed payment that may still be charged. */
  let payment: PaymentPayload | null = null;
  const isIdle = () => !button.disabled;

  const sign = async (account: string): Promise<PaymentPayload> => {
    say(texts.askingTime);
    const prepared = await prepareTransfer(account, offer, nodes);
    const { transfer, nonce, leftMs } = prepared;
    offer = prepared.offer;
    const signatures = await askForTransfer(transfer, { account, leftMs, isIdle });
    const signedTransaction = { ...transfer, signatures };
    return {
      x402Version: 1,
      scheme: "exact",
      network: offer.network,
      payload: { signedTransaction, nonce, holder: makeHolder() },
    };
  };

  /** @throws Error with the reason for a 402 */
  const refuse = async (response: Response, isOfPayment: boolean): Promise<never> => {
    const { code = "", error, accepts } = (await response.json()) as PaymentRequired;
    if (isOfPayment && !undecided.includes(code)) payment = null;
    offer = accepts[0] ?? offer;
    throw new Error(refusals[code] ?? error ?? texts.refused);
  };

  const pay = async (account: string): Promise<void> => {
    payment ??= await sign(account);
    say(texts.paying);
    const response = await sendPayment(encodeBase64Json(payment));
    if (response.status === 402) return refuse(response, true);
    await takeContent(response, payment, offer.maxAmountRequired);
    payment = null;
  };

  const enter = async (account: string): Promise<void> => {
    const response = await comeBack(account, isIdle);
    if (response.status === 402) return refuse(response, false);
    if (!response.ok) throw new Error(texts.unreachable);
    return takeContent(response, null, offer.maxAmountRequired);
  };

  /** Runs one action at a time for the account in the form. */
  const work = (task: (account: string) => Promise<void>): void => {
    const account = byId<HTMLInputElement>("account").value.trim().replace(/^@/, "").toLowerCase();
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
}

/** Shows the form once the extension is there, and until then explains how to install it. */
function awaitKeychain(form: HTMLElement, nodes: readonly string[]): void {
  const missing = byId("none");
  missing.hidden = true;
  setTimeout(() => {
    missing.hidden = !form.hidden;
  }, MISSING_MS);
  const look = () => {
    if (!findKeychain() || nodes.length === 0) {
      setTimeout(look, LOOK_MS);
      return;
    }
    form.hidden = false;
    missing.hidden = true;
  };
  look();
}
