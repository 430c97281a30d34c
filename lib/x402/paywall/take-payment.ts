import { hexToBytes } from "@noble/hashes/utils.js";
import { isEqualBytes } from "../equal-bytes.ts";
import type { FacilitatorRequest, SettleResponse } from "../types.ts";
import type { Purchase } from "./access.ts";
import { admitUnsettled } from "./admit-unsettled.ts";
import type { Claim } from "./claim.ts";
import type { Lease } from "./claims.ts";
import {
  type Admitted,
  type Answered,
  type Rejected,
  rejected,
  type Unavailable,
  type Unpaid,
  unavailable,
  unpaid,
} from "./decision.ts";
import { admit, afterBreak } from "./deliver.ts";
import { isRefunded } from "./is-refunded.ts";
import { noteReturns } from "./note-returns.ts";
import { endTurn, findEarlier, keyOfPurchase, type PaymentAttempt, takeTurn } from "./payment-attempt.ts";
import type { BroughtPayment } from "./read-payment.ts";
import { isOfWrongTransfer, toCode } from "./refusals.ts";
import { buildRequirements } from "./requirements.ts";
import { transferRequest } from "./transfer-request.ts";

const BUSY_SECONDS = 1;
const PENDING_SECONDS = 2;

/**
 * The result of a request: it is admitted, was answered before, can be repeated later (`Unavailable`) or must
 * not be (`Rejected`), or has no payment that counts, for the reason `code`.
 */
export type PaymentOutcome = Admitted | Answered | Unavailable | Rejected | Unpaid;

/**
 * Takes a payment that was not seen before: verify, claim, settle. The flow `authorization` claims and settles it after
 * the handler.
 */
export async function takeNewPayment(attempt: PaymentAttempt, claim: Claim): Promise<PaymentOutcome> {
  const answer = await attempt.settings.facilitator.verify(requestFor(attempt, claim));
  if (answer.kind === "unavailable") return unavailable("facilitator_unavailable", answer.retryAfterSeconds);
  const { isValid, invalidReason, payer } = answer.value;
  if (invalidReason === "settlement_pending") return unavailable("settlement_pending", PENDING_SECONDS);
  if (invalidReason === "chain_unavailable") return unavailable("facilitator_unavailable", PENDING_SECONDS);
  if (!isValid) return unpaid(toCode(invalidReason));
  if (payer !== undefined && payer !== attempt.brought.payer)
    return unavailable("facilitator_unavailable", PENDING_SECONDS);
  return takeClaimedPayment(attempt, claim, { isNew: true });
}

/**
 * Continues with a payment from its current state: settled by now, interrupted, or about to be claimed as
 * `fresh`. A new payment proves its payer, who may have bought with another payment meanwhile. A signed payment that
 * was sent proves nothing, because it is public on the chain; the ticket of a transfer is not.
 */
export async function takeClaimedPayment(
  attempt: PaymentAttempt,
  fresh: Claim,
  { isNew = false } = {},
): Promise<PaymentOutcome> {
  const { settings, claims, brought, purchase } = attempt;
  if (isOver(attempt, fresh)) return unpaid("payment_replayed");
  const lease = await claims.lease(brought.id);
  if (!lease) return unavailable("settlement_pending", BUSY_SECONDS);
  let outcome: PaymentOutcome | undefined;
  try {
    if (!(await takeTurn(attempt))) return unavailable("settlement_pending", BUSY_SECONDS);
    const isOfTicket = brought.kind === "ticket";
    const isUndecided = isNew || (isOfTicket && !fresh.settlement);
    const bought = isUndecided ? await findEarlier(attempt) : null;
    if (bought && !isOfTicket) {
      await endTurn(attempt);
      if (!purchase?.isProof) return unpaid("payment_replayed");
    }
    // A sent transfer was charged already, so there is nothing to settle after the handler.
    const isSettledLater = settings.paymentFlow === "authorization" && !isOfTicket && isNew && !bought;
    // Only a verified payment takes an id, and no other payment is charged under it.
    if (!isSettledLater && (isNew || !fresh.settlement) && !(await takeId(attempt))) {
      await endTurn(attempt);
      return rejected("payment_identifier_used");
    }
    const claim = isSettledLater
      ? await claims.read(brought.id)
      : await claims.open(brought.id, bought && !isOfTicket ? asProof(fresh, bought) : fresh);
    if (!claim) outcome = admitUnsettled(attempt, lease, () => claimAndSettle(attempt, fresh, lease));
    else if (isOver(attempt, claim)) outcome = unpaid("payment_replayed");
    else if (claim.phase === "delivering") outcome = await resume(attempt, claim, lease);
    else if (claim.settlement) outcome = admit(attempt, claim, claim.settlement, lease);
    else outcome = await settle(attempt, claim, lease, bought);
    if (outcome.kind === "unpaid") await endTurn(attempt);
    return outcome;
  } finally {
    if (outcome?.kind !== "admitted") await lease.release();
  }
}

/**
 * Returns whether the payment has delivered its content or was paid back, was meant for other content, or belongs to
 * another holder.
 */
const isOver = (attempt: PaymentAttempt, { resource, phase, holder }: Claim) =>
  resource !== attempt.resource ||
  phase === "delivered" ||
  phase === "refunded" ||
  phase === "doubted" ||
  !isSameHolder(holder, attempt.brought.holder);

/**
 * Returns whether two payments have the same secret, or both have none. Anyone can copy the rest of a payment
 * from its block.
 */
function isSameHolder(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined
    ? one === other
    : isEqualBytes(hexToBytes(one), hexToBytes(other));
}

/** Creates a claim on an earlier purchase of the payer, for which nothing is settled. */
const asProof = (fresh: Claim, { settlement }: Purchase): Claim => ({
  ...fresh,
  phase: "paid",
  settlement,
  isProof: true,
});

/** The delivering process has died or lost the store, so the delivery counts as broken off. */
async function resume(attempt: PaymentAttempt, claim: Claim, lease: Lease): Promise<PaymentOutcome> {
  const { claims, brought } = attempt;
  const next = afterBreak(claim);
  if (!(await claims.change(brought.id, claim, next))) return unavailable("settlement_pending", BUSY_SECONDS);
  return isOver(attempt, next) || !next.settlement
    ? unpaid("payment_replayed")
    : admit(attempt, next, next.settlement, lease);
}

/** Ties the payment to its id, if it has one; `false` if the id belongs to another payment. */
const takeId = async ({ identified }: PaymentAttempt): Promise<boolean> =>
  identified === null || identified.bind();

/** Settles a payment whose handler has run. */
async function claimAndSettle(
  attempt: PaymentAttempt,
  fresh: Claim,
  lease: Lease,
): Promise<Admitted | Unavailable | Rejected | Unpaid> {
  if (!(await takeId(attempt))) return rejected("payment_identifier_used");
  const claim = await attempt.claims.open(attempt.brought.id, fresh);
  // The lease was lost while the store was down, and another process has taken the payment.
  if (claim.idempotencyKey !== fresh.idempotencyKey) return unavailable("settlement_pending", BUSY_SECONDS);
  return settle(attempt, claim, lease);
}

/** Settles a claim. The transfer of a payer who has `bought` the content already is owed back, and never counts. */
async function settle(
  attempt: PaymentAttempt,
  claim: Claim,
  lease: Lease,
  bought: Purchase | null = null,
): Promise<Admitted | Unavailable | Unpaid> {
  const { settings, claims, brought, identified } = attempt;
  const request = requestFor(attempt, claim, bought ? brought.payer : undefined);
  const answer = await settings.facilitator.settle(request, claim.idempotencyKey);
  if (answer.kind === "unavailable")
    return unavailable(
      answer.isSent ? "settlement_pending" : "facilitator_unavailable",
      answer.retryAfterSeconds,
    );
  const { toReturn = [], ...settlement } = answer.value;
  const noting = brought.kind === "ticket" ? noteReturns(settings, brought.payTo, toReturn) : null;
  if (bought && settlement.errorReason === "paid_twice") {
    // The claim is not presented again once it has delivered, so its transfer has to be in the books before.
    await noting;
    const proof = asProof(claim, bought);
    if (!(await claims.change(brought.id, claim, proof)))
      return unavailable("settlement_pending", BUSY_SECONDS);
    await endTurn(attempt);
    return admit(attempt, proof, bought.settlement, lease);
  }
  // Even if they may not have been written, the payment goes on; its next presentation notes them again.
  const returns = (await noting?.catch(() => [])) ?? [];
  if (!settlement.success) {
    const code = toCode(settlement.errorReason);
    // A fork may have removed a sent transfer from its block since it was verified.
    if (code === "payment_not_seen" || isOfWrongTransfer(code))
      return unavailable("settlement_pending", PENDING_SECONDS);
    if (code === "settlement_pending" || settlement.errorReason === "chain_unavailable")
      return unavailable("settlement_pending", PENDING_SECONDS);
    await claims.letGo(brought.id, claim);
    await identified?.letGo();
    return unpaid(code, returns.length > 0 ? { returns } : {});
  }
  // A facilitator that names another transaction or payer has not settled this payment.
  const settled = settledBy(settlement, brought);
  if (!settled) return unavailable("settlement_pending", PENDING_SECONDS);
  // A transfer that was paid back while it was being settled opens nothing, whatever the facilitator says.
  if (brought.kind === "ticket" && (await isRefunded(settings, settlement))) {
    await claims.change(brought.id, claim, { ...claim, phase: "refunded", settlement });
    return unpaid("payment_replayed");
  }
  const purchased = keyOfPurchase({ ...attempt, brought: settled });
  const paid: Claim = { ...claim, phase: "paid", settlement, ...purchased };
  if (!(await claims.change(brought.id, claim, paid))) return unavailable("settlement_pending", BUSY_SECONDS);
  return admit({ ...attempt, brought: settled }, paid, settlement, lease);
}

/**
 * Returns the payment that a settlement is of, or null if it is of another one. After a fork, the transfer of another
 * payer may count for a ticket.
 */
function settledBy(
  { txId, payer, operation }: SettleResponse,
  brought: PaymentAttempt["brought"],
): PaymentAttempt["brought"] | null {
  if (brought.kind === "ticket") {
    const isComplete = txId !== undefined && payer !== undefined && operation !== undefined;
    return isComplete && payer === (brought.foundFor ?? payer) ? { ...brought, payer } : null;
  }
  const { ids } = brought.transfer;
  return (txId === ids.legacy || txId === ids.hf26) && payer === brought.payer ? brought : null;
}

const requestFor = (attempt: PaymentAttempt, claim: Claim, returnTo?: string): FacilitatorRequest =>
  attempt.brought.kind === "ticket"
    ? transferRequest(attempt, attempt.brought, returnTo)
    : signedRequest(attempt, attempt.brought, claim);

function signedRequest(
  { settings, address, extensions }: PaymentAttempt,
  { network, nonce, transfer }: BroughtPayment,
  claim: Claim,
): FacilitatorRequest {
  const { amount, validBefore } = claim;
  const extra = settings.finality && { finality: settings.finality };
  return {
    x402Version: 1,
    // Rebuilt from checked fields, so that the facilitator reads exactly what was checked here, without the payer's
    // secret.
    paymentPayload: {
      x402Version: 1,
      scheme: "exact",
      network,
      payload: { signedTransaction: transfer.transaction, nonce },
      ...(extensions && { extensions }),
    },
    paymentRequirements: buildRequirements(settings, {
      // The name in the paid offer, because a facilitator may not know the chain's other names.
      network,
      amount,
      // Checked against the offer when the payment was claimed; another request may have another payee.
      payTo: transfer.to,
      validBefore,
      resource: address,
      ...(extra && { extra }),
    }),
  };
}
