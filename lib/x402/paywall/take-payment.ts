import type { FacilitatorRequest, PaymentRequired, SettleResponse } from "../types.ts";
import type { Purchase } from "./access.ts";
import type { Claim, Claims, Lease } from "./claims.ts";
import type { PaywallSettings } from "./options.ts";
import type { BroughtPayment } from "./read-payment.ts";
import { toCode, type unavailableCodes } from "./refusals.ts";
import { buildRequirements } from "./requirements.ts";

/** What an adapter has to do with a request. */
export type PaywallDecision =
  | { kind: "preflight" }
  | { kind: "invalid-target" }
  | { kind: "payment-required"; required: PaymentRequired & { code: string; error: string } }
  | { kind: "unavailable"; code: UnavailableCode; retryAfterSeconds: number }
  | Admitted;

/** The request does not reach the handler. */
export type Refused = Exclude<PaywallDecision, Admitted>;

type UnavailableCode = (typeof unavailableCodes)[number];

/** Paid: the handler may run. */
export type Admitted = {
  kind: "admitted";
  payer: string;
  txId: string;
  settlement: SettleResponse;
  delivery: Delivery;
};

/** What a handler is told of the payment. */
export type PaidContext = Pick<Admitted, "payer" | "txId">;

/** Ends the work on an admitted request; exactly one of the three is called, once. None rejects. */
type Delivery = {
  /** The content is about to leave; `false` when that could not be written down, and then nothing may leave. */
  succeed(): Promise<boolean>;
  /** Nothing of use was answered: the same payment may come again. */
  fail(): Promise<void>;
  /** The client has gone before the content left: the same payment may come again, and so may its payer without one. */
  leave(): Promise<void>;
};

export function unavailable(code: UnavailableCode, retryAfterSeconds: number): Refused {
  return { kind: "unavailable", code, retryAfterSeconds };
}

/** The answer in place of content whose delivery could not be written down: the same payment may come again. */
export const notWrittenDown = unavailable("settlement_pending", 2);

const BUSY_SECONDS = 1;
const PENDING_SECONDS = 2;

/** One request with one payment that fits it. */
export type PaymentAttempt = {
  settings: PaywallSettings<never>;
  claims: Claims;
  brought: BroughtPayment;
  /** Hash of method and address: what a claim is tied to. */
  resource: string;
  /** What the requirements call it. */
  address: string;
  refuse(code: string): PaywallDecision;
  /** What the payer buys, where that is remembered. */
  purchase?: {
    /** Keeps other payments for it waiting as long as this one may still be charged; `false` while another does. */
    takeTurn(): Promise<boolean>;
    endTurn(): Promise<void>;
    /** What the payer has bought before. */
    find(): Promise<Purchase | null>;
    /** Whether a payment that was never sent is surely the payer's own. */
    isPayers: boolean;
    /** Remembers that the payer may come back, which ends the turn; rejects when that may not be remembered. */
    remember(settlement: SettleResponse, amount: string): Promise<void>;
  };
};

/** Lets in who has paid before: nothing is taken, and the receipt is that of the purchase. */
export function readmit(payer: string, settlement: SettleResponse): PaywallDecision {
  const delivery = { succeed: async () => true, fail: async () => {}, leave: async () => {} };
  return { kind: "admitted", payer, txId: settlement.txId ?? "", settlement, delivery };
}

/** Takes a payment that was not seen before: verify, claim, settle. */
export async function takeNewPayment(attempt: PaymentAttempt, claim: Claim): Promise<PaywallDecision> {
  const answer = await attempt.settings.facilitator.verify(requestFor(attempt, claim));
  if (answer.kind === "unavailable") return unavailable("facilitator_unavailable", answer.retryAfterSeconds);
  const { isValid, invalidReason, payer } = answer.value;
  if (invalidReason === "settlement_pending") return unavailable("settlement_pending", PENDING_SECONDS);
  if (invalidReason === "chain_unavailable") return unavailable("facilitator_unavailable", PENDING_SECONDS);
  if (!isValid) return attempt.refuse(toCode(invalidReason));
  if (payer !== undefined && payer !== attempt.brought.transfer.from)
    return unavailable("facilitator_unavailable", PENDING_SECONDS);
  return takeClaimedPayment(attempt, claim, { isNew: true });
}

/**
 * Goes on with a payment from wherever it stands: settled by now, interrupted, or about to be claimed as `fresh`. A new
 * one proves its payer, who may have bought with another meanwhile; one that was sent proves nobody: the chain shows it.
 */
export async function takeClaimedPayment(
  attempt: PaymentAttempt,
  fresh: Claim,
  { isNew = false } = {},
): Promise<PaywallDecision> {
  const { claims, brought, purchase } = attempt;
  if (isOver(attempt, fresh)) return attempt.refuse("payment_replayed");
  const lease = await claims.lease(brought.id);
  if (!lease) return unavailable("settlement_pending", BUSY_SECONDS);
  let decision: PaywallDecision | undefined;
  try {
    if (purchase && !(await purchase.takeTurn())) return unavailable("settlement_pending", BUSY_SECONDS);
    const bought = isNew ? await purchase?.find() : null;
    if (purchase && bought) {
      await purchase.endTurn();
      const { from } = brought.transfer;
      return purchase.isPayers ? readmit(from, bought.settlement) : attempt.refuse("payment_replayed");
    }
    const claim = await claims.open(brought.id, fresh);
    if (isOver(attempt, claim) || claim.phase === "doubted") decision = attempt.refuse("payment_replayed");
    else if (claim.phase === "delivering") decision = await doubt(attempt, claim, lease);
    else if (claim.settlement) decision = grant(attempt, claim, claim.settlement, lease);
    else decision = await settle(attempt, claim, lease);
    if (decision.kind === "payment-required") await purchase?.endTurn();
    return decision;
  } finally {
    if (decision?.kind !== "admitted") await lease.release();
  }
}

/** Whether the payment has brought its content, or was meant for other content. */
const isOver = (attempt: PaymentAttempt, { resource, phase }: Claim) =>
  resource !== attempt.resource || phase === "delivered";

/**
 * Whoever was delivering has died or lost the store. After a while nobody will take the delivery back any more, and the
 * content counts as delivered: it may have been.
 */
async function doubt(
  { claims, brought }: PaymentAttempt,
  claim: Claim,
  lease: Lease,
): Promise<PaywallDecision> {
  if (await lease.leaveInDoubt()) await claims.change(brought.id, claim, { ...claim, phase: "doubted" });
  return unavailable("settlement_pending", PENDING_SECONDS);
}

async function settle(attempt: PaymentAttempt, claim: Claim, lease: Lease): Promise<PaywallDecision> {
  const { settings, claims, brought } = attempt;
  const answer = await settings.facilitator.settle(requestFor(attempt, claim), claim.idempotencyKey);
  if (answer.kind === "unavailable")
    return unavailable(
      answer.isSent ? "settlement_pending" : "facilitator_unavailable",
      answer.retryAfterSeconds,
    );
  const settlement = answer.value;
  if (!settlement.success) {
    const code = toCode(settlement.errorReason);
    if (code === "settlement_pending" || settlement.errorReason === "chain_unavailable")
      return unavailable("settlement_pending", PENDING_SECONDS);
    await claims.letGo(brought.id, claim);
    return attempt.refuse(code);
  }
  // A facilitator that names another transaction or payer has not settled this payment.
  if (!isOf(settlement, brought)) return unavailable("settlement_pending", PENDING_SECONDS);
  const paid: Claim = { ...claim, phase: "paid", settlement };
  if (!(await claims.change(brought.id, claim, paid))) return unavailable("settlement_pending", BUSY_SECONDS);
  return grant(attempt, paid, settlement, lease);
}

function isOf({ txId, payer }: SettleResponse, { transfer }: BroughtPayment): boolean {
  return (txId === transfer.ids.legacy || txId === transfer.ids.hf26) && payer === transfer.from;
}

function grant(
  { claims, brought, purchase }: PaymentAttempt,
  claim: Claim,
  settlement: SettleResponse,
  lease: Lease,
): PaywallDecision {
  const receipt = receiptOf(settlement, brought);
  return {
    kind: "admitted",
    payer: brought.transfer.from,
    txId: settlement.txId ?? brought.id,
    settlement: receipt,
    delivery: {
      async succeed() {
        try {
          // First of all: who got the content and may not come back would have to pay for it twice.
          await purchase?.remember(receipt, claim.amount);
        } catch {
          await lease.release();
          return false;
        }
        const delivering: Claim = { ...claim, phase: "delivering", delivery: crypto.randomUUID() };
        try {
          if (!(await claims.change(brought.id, claim, delivering))) {
            await lease.release();
            return false;
          }
        } catch {
          // The store is down: what can't be remembered as delivered is not delivered, and must not be remembered so.
          void claims.takeBack(brought.id, claim, delivering).then(() => lease.release());
          return false;
        }
        // The content need not wait for this: where it fails, the delivery stays in doubt, which ends the same way.
        void claims
          .change(brought.id, delivering, { ...delivering, phase: "delivered" })
          .catch(() => false)
          .then(() => lease.release());
        return true;
      },
      fail: () => lease.release(),
      async leave() {
        await purchase?.remember(receipt, claim.amount).catch(() => undefined);
        await lease.release();
      },
    },
  };
}

/** What the payer is told, of checked values alone; the network by the name in the offer that was paid. */
function receiptOf(
  { txId, blockNum }: SettleResponse,
  { payload, transfer }: BroughtPayment,
): SettleResponse {
  return {
    success: true,
    ...(txId !== undefined && { txId, transaction: txId }),
    ...(blockNum !== undefined && { blockNum }),
    payer: transfer.from,
    network: payload.network,
  };
}

function requestFor({ settings, brought, address }: PaymentAttempt, claim: Claim): FacilitatorRequest {
  const { payload, nonce, transfer } = brought;
  const { amount, validBefore } = claim;
  const extra = settings.finality && { finality: settings.finality };
  return {
    x402Version: 1,
    // Built again from checked fields: what the facilitator reads is what was read here.
    paymentPayload: {
      x402Version: 1,
      scheme: "exact",
      network: payload.network,
      payload: { signedTransaction: transfer.transaction, nonce },
    },
    paymentRequirements: buildRequirements(settings, {
      // The name that was paid under: a facilitator need not know the others.
      network: payload.network,
      amount,
      // Checked against the offer when the payment was claimed; who is paid for another request may be someone else.
      payTo: transfer.to,
      validBefore,
      resource: address,
      ...(extra && { extra }),
    }),
  };
}
