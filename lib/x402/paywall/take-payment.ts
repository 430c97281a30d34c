import { hexToBytes } from "@noble/hashes/utils.js";
import { isEqualBytes } from "../equal-bytes.ts";
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

/** How a delivery ended: all of its content was sent, or it broke off after some of it, or before any. */
type DeliveryEnd = "whole" | "broken" | "unsent";

/** Carries the work on an admitted request to its end; one of `begin`, `fail` and `leave` is called, once. None rejects. */
export type Delivery = {
  /** The content is about to leave; `false` when that could not be written down, and then nothing may leave. */
  begin(): Promise<boolean>;
  /**
   * The content has left, or will not; called once after `begin` resolved to `true`. Resolves when that is written down,
   * which may take as long as the store is down.
   */
  end(how: DeliveryEnd): Promise<void>;
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
/** A payer who reads all but the last byte, again and again, gets this much for nothing, and no more. */
const MOST_BROKEN = 3;

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
    /** Whether a payment that was never sent proves its payer: it was made for this resource, and is not over yet. */
    isProof: boolean;
    /** Remembers that the payer may come back, which ends the turn; rejects when that may not be remembered. */
    remember(settlement: SettleResponse, amount: string): Promise<void>;
  };
};

/** Lets in who has paid before: nothing is taken, and the receipt is that of the purchase. */
export function readmit(payer: string, settlement: SettleResponse): PaywallDecision {
  const delivery = {
    begin: async () => true,
    end: async () => {},
    fail: async () => {},
    leave: async () => {},
  };
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
      if (!purchase.isProof) return attempt.refuse("payment_replayed");
    }
    const claim = await claims.open(brought.id, bought ? asProof(fresh, bought) : fresh);
    if (isOver(attempt, claim)) decision = attempt.refuse("payment_replayed");
    else if (claim.phase === "delivering") decision = await resume(attempt, claim, lease);
    else if (claim.settlement) decision = grant(attempt, claim, claim.settlement, lease);
    else decision = await settle(attempt, claim, lease);
    if (decision.kind === "payment-required") await purchase?.endTurn();
    return decision;
  } finally {
    if (decision?.kind !== "admitted") await lease.release();
  }
}

/** Whether the payment has brought its content, was meant for other content, or is somebody else's. */
const isOver = (attempt: PaymentAttempt, { resource, phase, holder }: Claim) =>
  resource !== attempt.resource ||
  phase === "delivered" ||
  phase === "doubted" ||
  !isSameHolder(holder, attempt.brought.holder);

/** Whether two payments show the same secret, or none. Everybody can copy the rest of a payment from its block. */
function isSameHolder(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined
    ? one === other
    : isEqualBytes(hexToBytes(one), hexToBytes(other));
}

/** A claim on what the payer has bought before: nothing is settled for it. */
const asProof = (fresh: Claim, { settlement }: Purchase): Claim => ({
  ...fresh,
  phase: "paid",
  settlement,
  isProof: true,
});

/** The claim after a delivery that broke off: a few times the payment stays good. */
function afterBreak({ delivery: _over, ...claim }: Claim): Claim {
  const broken = (claim.broken ?? 0) + 1;
  return { ...claim, phase: broken > MOST_BROKEN ? "delivered" : "paid", broken };
}

/** Whoever was delivering has died or lost the store, so that the delivery counts as broken off. */
async function resume(attempt: PaymentAttempt, claim: Claim, lease: Lease): Promise<PaywallDecision> {
  const { claims, brought } = attempt;
  const next = afterBreak(claim);
  if (!(await claims.change(brought.id, claim, next))) return unavailable("settlement_pending", BUSY_SECONDS);
  return isOver(attempt, next) || !next.settlement
    ? attempt.refuse("payment_replayed")
    : grant(attempt, next, next.settlement, lease);
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
  const remember = async () => {
    // What proves its payer buys nothing.
    if (!claim.isProof) await purchase?.remember(receipt, claim.amount);
  };
  const delivering: Claim = { ...claim, phase: "delivering", delivery: crypto.randomUUID() };
  return {
    kind: "admitted",
    payer: brought.transfer.from,
    txId: settlement.txId ?? brought.id,
    settlement: receipt,
    delivery: {
      async begin() {
        try {
          // First of all: who got the content and may not come back would have to pay for it twice.
          await remember();
        } catch {
          await lease.release();
          return false;
        }
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
        return true;
      },
      async end(how) {
        const ended: Record<DeliveryEnd, Claim> = {
          whole: { ...delivering, phase: "delivered" },
          broken: afterBreak(delivering),
          unsent: claim,
        };
        await claims.insist(brought.id, delivering, ended[how]);
        await lease.release();
      },
      fail: () => lease.release(),
      async leave() {
        await remember().catch(() => undefined);
        await lease.release();
      },
    },
  };
}

/** What the payer is told, of checked values alone; the network by the name in the offer that was paid. */
function receiptOf(
  { txId, blockNum }: SettleResponse,
  { network, transfer }: BroughtPayment,
): SettleResponse {
  return {
    success: true,
    ...(txId !== undefined && { txId, transaction: txId }),
    ...(blockNum !== undefined && { blockNum }),
    payer: transfer.from,
    network,
  };
}

function requestFor({ settings, brought, address }: PaymentAttempt, claim: Claim): FacilitatorRequest {
  const { network, nonce, transfer } = brought;
  const { amount, validBefore } = claim;
  const extra = settings.finality && { finality: settings.finality };
  return {
    x402Version: 1,
    // Built again from checked fields: what the facilitator reads is what was read here, without the payer's secret.
    paymentPayload: {
      x402Version: 1,
      scheme: "exact",
      network,
      payload: { signedTransaction: transfer.transaction, nonce },
    },
    paymentRequirements: buildRequirements(settings, {
      // The name that was paid under: a facilitator need not know the others.
      network,
      amount,
      // Checked against the offer when the payment was claimed; who is paid for another request may be someone else.
      payTo: transfer.to,
      validBefore,
      resource: address,
      ...(extra && { extra }),
    }),
  };
}
