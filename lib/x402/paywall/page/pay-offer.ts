import { makeHolder } from "../../client/holder.ts";
import { encodeBase64Json, HEADER_PAYMENT_RESPONSE } from "../../header.ts";
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from "../../types.ts";
import { askKeychain, findKeychain } from "./ask-keychain.ts";
import { showContent, storeContent } from "./content.ts";
import { texts } from "./data.ts";
import { byId, say } from "./elements.ts";
import type { PageData } from "./page-data.ts";
import { prepareTransfer } from "./prepare-transfer.ts";
import { takeReceipt } from "./receipt.ts";
import { sendPayment } from "./send-payment.ts";

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
  const form = byId("form");
  const button = byId<HTMLButtonElement>("button");
  let offer: PaymentRequirements = offered;
  /** The signed payment that may still be charged. */
  let payment: PaymentPayload | null = null;

  const sign = async (account: string): Promise<PaymentPayload> => {
    say(texts.askingTime);
    const prepared = await prepareTransfer(account, offer, nodes);
    const { transfer, nonce, leftMs } = prepared;
    offer = prepared.offer;
    const signatures = await askKeychain(account, transfer, { leftMs, isIdle: () => !button.disabled });
    const signedTransaction = { ...transfer, signatures };
    return {
      x402Version: 1,
      scheme: "exact",
      network: offer.network,
      payload: { signedTransaction, nonce, holder: makeHolder() },
    };
  };

  const refuse = async (response: Response): Promise<never> => {
    const { code = "", error, accepts } = (await response.json()) as PaymentRequired;
    if (!undecided.includes(code)) payment = null;
    offer = accepts[0] ?? offer;
    throw new Error(refusals[code] ?? error ?? texts.refused);
  };

  const pay = async (account: string): Promise<void> => {
    payment ??= await sign(account);
    say(texts.paying);
    const response = await sendPayment(encodeBase64Json(payment));
    if (response.status === 402) return refuse(response);
    // Without a receipt, the answer does not come from the shop but from a server in between.
    if (!response.headers.has(HEADER_PAYMENT_RESPONSE)) throw new Error(texts.unreachable);
    // Stored before the body is read, which may break off, and before it is shown, because its reader may
    // reload the page.
    takeReceipt(response, payment, offer.maxAmountRequired);
    const body = await response.blob().catch(() => {
      throw new Error(texts.brokeOff);
    });
    payment = null;
    const content = new Response(body, { headers: response.headers });
    await storeContent(content.clone());
    await showContent(content);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const account = byId<HTMLInputElement>("account").value.trim().replace(/^@/, "").toLowerCase();
    button.disabled = true;
    pay(account)
      .catch((error: Error) => say(error instanceof TypeError ? texts.unreachable : error.message))
      .finally(() => {
        button.disabled = false;
      });
  });
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
