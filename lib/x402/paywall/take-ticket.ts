import type { SettleResponse, TransferReturn, TransferToReturn } from "../types.ts";
import type { Claim } from "./claim.ts";
import { unavailable, unpaid } from "./decision.ts";
import { noteReturns } from "./note-returns.ts";
import type { PaidTicket, PaymentAttempt } from "./payment-attempt.ts";
import { isOfWrongTransfer, toCode } from "./refusals.ts";
import { type PaymentOutcome, takeClaimedPayment } from "./take-payment.ts";
import { transferRequest } from "./transfer-request.ts";

const NOT_SEEN_SECONDS = 1;
const PENDING_SECONDS = 2;

/** A request with a ticket, before its payer is known. */
type TicketAttempt = Omit<PaymentAttempt, "brought">;
type Presented = Omit<PaidTicket, "payer">;

/**
 * Takes a ticket: the facilitator looks for its transfer, which is then claimed and settled like any payment. Wrong
 * transfers with its memo are written into the seller's books, even if another transfer counts.
 */
export async function takeTicket(presented: Presented, attempt: TicketAttempt): Promise<PaymentOutcome> {
  const present = await attempt.claims.read(presented.id);
  const paidBy = (payer: string): PaymentAttempt => ({ ...attempt, brought: { ...presented, payer } });
  const payer = present?.settlement?.payer ?? present?.payer;
  if (present && payer !== undefined) {
    if (!mayOpenFor(presented, payer)) return unpaid("not_purchased");
    const outcome = await takeClaimedPayment(paidBy(payer), present);
    const isUsed = outcome.kind === "unpaid" && outcome.code === "payment_replayed";
    return isUsed ? withReturns(outcome.code, presented, attempt, present.settlement) : outcome;
  }
  const answer = await attempt.settings.facilitator.verify(transferRequest(attempt, presented));
  if (answer.kind === "unavailable") return unavailable("facilitator_unavailable", answer.retryAfterSeconds);
  const { isValid, invalidReason, toReturn = [], payer: found } = answer.value;
  const noting = noteReturns(attempt.settings, presented.payTo, toReturn);
  if (isValid) {
    await noting.catch(leaveUnnoted);
    if (found === undefined) return unavailable("facilitator_unavailable", PENDING_SECONDS);
    if (!mayOpenFor(presented, found)) return unpaid("not_purchased");
    return takeClaimedPayment(paidBy(found), freshClaim(presented, attempt, found), { isNew: true });
  }
  if (invalidReason === "settlement_pending" || invalidReason === "chain_unavailable") {
    await noting;
    return unavailable("settlement_pending", PENDING_SECONDS);
  }
  const code = toCode(invalidReason);
  // Strangers' transfers must not end a claim that its buyer can still pay.
  return refusalOf(
    isOfWrongTransfer(code) ? "payment_not_seen" : code,
    presented,
    code === "payment_replayed" ? await noting.catch(leaveUnnoted) : await noting,
  );
}

/** Whatever becomes of wrong transfers, the right one counts; the next presentation of the ticket notes them again. */
const leaveUnnoted = (): TransferReturn[] => [];

/** Returns whether a ticket may open the page for its payer: any, or only the one for whom it was found. */
const mayOpenFor = ({ foundFor }: Presented, payer: string) => foundFor === undefined || foundFor === payer;

function refusalOf(code: string, { ticket }: Presented, returns: readonly TransferReturn[]): PaymentOutcome {
  return unpaid(code, {
    ...(code === "payment_not_seen" && { retryAfterSeconds: NOT_SEEN_SECONDS, openTicket: ticket }),
    ...(returns.length > 0 && { returns }),
  });
}

/** Refuses a used ticket, and notes further transfers that were sent for it. */
async function withReturns(
  code: string,
  presented: Presented,
  attempt: TicketAttempt,
  settlement: SettleResponse | undefined,
): Promise<PaymentOutcome> {
  const answer = await attempt.settings.facilitator.verify(transferRequest(attempt, presented));
  const toReturn = answer.kind === "answer" ? (answer.value.toReturn ?? []) : [];
  // The paid transfer itself is never returned, even if the facilitator has lost its record.
  const isOther = ({ txId, operation }: TransferToReturn) =>
    txId !== settlement?.txId || operation !== settlement?.operation;
  const noting = noteReturns(attempt.settings, presented.payTo, toReturn.filter(isOther));
  const returns = await noting.catch(leaveUnnoted);
  return refusalOf(code, presented, returns);
}

const freshClaim = (
  { amount, endMs, holder }: Presented,
  { resource }: TicketAttempt,
  payer: string,
): Claim => ({
  ...{ phase: "settling", resource, amount, payer, idempotencyKey: crypto.randomUUID() },
  validBefore: new Date(endMs).toISOString(),
  ...(holder !== undefined && { holder }),
});
