import { encodeBase64Json } from "../header.ts";
import type { PaymentOfTransfer, PaymentPayload, PaymentPayloadV2 } from "../types.ts";
import { buildTransfer } from "./build-transfer.ts";
import type { Offer } from "./choose-offer.ts";
import type { Head } from "./find-head.ts";
import { makeHolder } from "./holder.ts";
import { identified } from "./payment-identifier.ts";
import type { Sign } from "./signer.ts";

/** Signs one offer and returns the text of the header. */
export async function signOffer(sign: Sign, account: string, offer: Offer, head: Head): Promise<string> {
  return encodeBase64Json(await preparePayment(sign, account, offer, head));
}

/** Returns the text of the header for an offer whose transfer is sent. */
export function encodeTicket({ asSent, sent }: Offer): string {
  if (asSent.version === 1 || !sent) throw new TypeError("the offer is not paid by a sent transfer");
  const { accepted, resource, extensions } = asSent;
  return encodeBase64Json({
    ...{ x402Version: 2, accepted, payload: { type: "memo", claim: sent.ticket } },
    ...(resource && { resource }),
    ...(extensions && { extensions: identified(extensions) }),
  } satisfies PaymentOfTransfer);
}

/** Signs one offer, and adds its holder's secret. */
export async function preparePayment(
  sign: Sign,
  account: string,
  offer: Offer,
  head: Head,
): Promise<PaymentPayload | PaymentPayloadV2> {
  const { transfer, nonce } = buildTransfer(account, offer, head, sign.lifeMs);
  const payload = { signedTransaction: await sign(transfer), nonce, holder: makeHolder() };
  const { asSent, network } = offer;
  if (asSent.version === 1) return { x402Version: 1, scheme: "exact", network, payload };
  const { accepted, resource, extensions } = asSent;
  return {
    ...{ x402Version: 2, accepted, payload },
    ...(resource && { resource }),
    ...(extensions && { extensions: identified(extensions) }),
  };
}
