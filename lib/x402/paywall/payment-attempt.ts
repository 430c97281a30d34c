import type { SettleResponse } from "../types.ts";
import { findCovering, forgetPurchase, keepPurchase, type Purchase, purchaseKeyOf } from "./access.ts";
import type { Claim } from "./claim.ts";
import { ClaimStoreError } from "./claim-store.ts";
import type { Claims } from "./claims.ts";
import type { Refused, Rejected, Unavailable, Unpaid } from "./decision.ts";
import type { IdentifiedAnswer } from "./identified-answer.ts";
import type { OfferClock } from "./offer-clock.ts";
import type { PaywallSettings } from "./options.ts";
import type { BroughtPayment, BroughtTicket } from "./read-payment.ts";
import type { TicketTerms } from "./ticket.ts";

/** A ticket whose transfer the facilitator has found, or had found earlier. */
export type PaidTicket = BroughtTicket &
  Pick<TicketTerms, "payTo" | "amount" | "endMs"> & {
    payer: string;
    /** The only payer who may get the content, if the ticket was not presented but found for this account. */
    foundFor?: string;
  };

/** One request with a payment that fits it. */
export type PaymentAttempt = {
  settings: PaywallSettings<never>;
  claims: Claims;
  clock: OfferClock;
  brought: BroughtPayment | PaidTicket;
  /** The hash of method and address, to which a claim is tied. */
  resource: string;
  /** The resource's name in the requirements. */
  address: string;
  /** The answer under the payment's id, if it has one. */
  identified: IdentifiedAnswer | null;
  /** The extensions that the seller declares for the resource, if any. */
  extensions: Record<string, unknown> | null;
  /** The purchase that the payer makes, if purchases are stored. */
  purchase: PurchaseAttempt | null;
  /** Returns the answer to a payment that is not accepted. */
  refuse: (outcome: Unavailable | Rejected | Unpaid) => Promise<Refused>;
};

/** The purchase that a payment makes. */
type PurchaseAttempt = {
  /** The subject of the purchase, on one chain. */
  subject: string;
  /** The current price, such as "0.050 HBD". */
  price: string;
  /** The time within which the payer can return. */
  seconds: number;
  /** The time within which the payment may still be charged. */
  turnSeconds: number;
  /**
   * True if an unsent payment proves its payer, because it was created for this resource and has not expired.
   */
  isProof: boolean;
};

/**
 * Blocks other payments for the same purchase as long as this one may still be charged; `false` while another
 * payment blocks this one.
 */
export async function takeTurn({ claims, brought, purchase }: PaymentAttempt): Promise<boolean> {
  if (!purchase) return true;
  return claims.takeTurn(turnKeyOf(brought, purchase), brought.id, purchase.turnSeconds);
}

/** Ends the turn. Never rejects. */
export async function endTurn({ claims, brought, purchase }: PaymentAttempt): Promise<void> {
  if (purchase) await claims.endTurn(turnKeyOf(brought, purchase), brought.id);
}

/** Returns the payer's earlier purchase of the same subject, unless the price is now more than was paid. */
export async function findEarlier({ settings, brought, purchase }: PaymentAttempt): Promise<Purchase | null> {
  return purchase ? findCovering(settings.store, brought.payer, purchase) : null;
}

/** Returns the part of a claim that names the purchase, if purchases are stored. */
export const keyOfPurchase = ({ brought, purchase }: PaymentAttempt): Pick<Claim, "purchaseKey"> =>
  purchase ? { purchaseKey: turnKeyOf(brought, purchase) } : {};

/**
 * Records that the payer can return, and ends the turn. Rejects if the record may not have been stored, or the payment
 * was paid back.
 */
export async function rememberPurchase(
  attempt: PaymentAttempt,
  settlement: SettleResponse,
  amount: string,
): Promise<void> {
  const { settings, claims, clock, brought, purchase } = attempt;
  if (!purchase) return;
  const { subject, seconds } = purchase;
  const paidAt = new Date(clock.latest()).toISOString();
  await keepPurchase(settings.store, {
    ...{ account: brought.payer, subject, seconds },
    purchase: { settlement, amount, paidAt },
  });
  // A process that was stopped for a while may have lost its lease, and the seller has refunded the payment.
  if ((await claims.read(brought.id))?.phase === "refunded") {
    await forgetPurchase(settings.store, turnKeyOf(brought, purchase), settlement.txId);
    throw new ClaimStoreError("the payment was paid back");
  }
  void endTurn(attempt);
}

const turnKeyOf = ({ payer }: PaymentAttempt["brought"], { subject }: PurchaseAttempt) =>
  purchaseKeyOf(payer, subject);
