import { type Offer, termsOf } from "./choose-offer.ts";
import type { PaymentError, PaymentOffer } from "./payment-error.ts";

const MAX_DESCRIPTION = 500;

/** An offer that is about to be paid, or that could be paid. `description` is text that the server chose. */
export type OfferToApprove = PaymentOffer & { url: string; description: string | undefined };

/** An offer that the rules and the budget allow. */
export type QuotedOffer = OfferToApprove & {
  /** The version of the protocol. */
  version: 1 | 2;
  /** The point at which the seller settles: after serving the request, or before. Version 1 does not say. */
  flow: "authorization" | "upfront" | null;
};

/** The price of something, requested without paying. */
export type Quote = {
  /** The status of an HTTP answer; only 402 asks for payment. `null` for a message that came another way. */
  status: number | null;
  /** The offers that limits and budget allow, with the one that would be paid first. */
  offers: QuotedOffer[];
  /** The reason that no offer is allowed; `null` if one is, or if no payment is requested. */
  refusal: PaymentError | null;
};

/** Describes an offer found at `url`. */
export function quotedOffer(offer: Offer, url: string): QuotedOffer {
  const { flow, description, asSent } = offer;
  const text = description?.slice(0, MAX_DESCRIPTION);
  return { ...termsOf(offer), url, description: text, version: asSent.version, flow };
}
