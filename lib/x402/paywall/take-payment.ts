import { hexToBytes } from "@noble/hashes/utils.js";
import { isEqualBytes } from "../equal-bytes.ts";
import type { FacilitatorRequest, PaymentRequired, SettleResponse } from "../types.ts";
import type { Purchase } from "./access.ts";
import type { Claim, Claims, Lease } from "./claims.ts";
import type { PaywallSettings } from "./options.ts";
import type { BroughtPayment } from "./read-payment.ts";
import { toCode, type unavailableCodes } from "./refusals.ts";
import { buildRequirements } from "./requirements.ts";

/** The adapter's next step for a request. */
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

/** The facts about a payment that a handler receives. */
export type PaidContext = Pick<Admitted, "payer" | "txId">;

/** The end of a delivery: all of its content was sent, or it broke off after some of it, or before any. */
type DeliveryEnd = "whole" | "broken" | "unsent";

/**
 * Carries the work on an admitted request to its end. One of `begin`, `fail` and `leave` is called, once. None rejects.
 */
export type Delivery = {
  /** Records that the content is about to be sent; `false` if that failed, and then nothing may be sent. */
  begin(): Promise<boolean>;
  /**
   * Records that the content was sent, or will not be; called once after `begin` resolved to `true`. Resolves when that
   * is stored, which may take as long as the store is down.
   */
  end(how: DeliveryEnd): Promise<void>;
  /** Nothing useful was answered: the same payment may be sent again. */
  fail(): Promise<void>;
  /**
   * The client disconnected before the content was sent: the same payment may be sent again, and the payer may return
   * without one.
   */
  leave(): Promise<void>;
};

export function unavailable(code: UnavailableCode, retryAfterSeconds: number): Refused {
  return { kind: "unavailable", code, retryAfterSeconds };
}

/** The answer in place of content whose delivery could not be recorded: the same payment may be sent again. */
export const notWrittenDown = unavailable("settlement_pending", 2);

const BUSY_SECONDS = 1;
const PENDING_SECONDS = 2;
/** A payer who repeatedly reads all but the last byte gets at most this many copies for free. */
const MOST_BROKEN = 3;

/** One request with one payment that fits it. */
export type PaymentAttempt = {
  settings: PaywallSettings<never>;
  claims: Claims;
  brought: BroughtPayment;
  /** Hash of method and address, which a claim is tied to. */
  resource: string;
  /** The resource's name in the requirements. */
  address: string;
  refuse(code: string): PaywallDecision;
  /** The purchase that the payer makes, if purchases are stored. */
  purchase?: {
    /** Blocks other payments for it as long as this one may still be charged; `false` while another one does. */
    takeTurn(): Promise<boolean>;
    endTurn(): Promise<void>;
    /** Returns the payer's earlier purchase. */
    find(): Promise<Purchase | null>;
    /** True if a payment that was never sent proves its payer: it was created for this resource and has not expired. */
    isProof: boolean;
    /** Stores that the payer may return, which ends the turn; rejects if that may not have been stored. */
    remember(settlement: SettleResponse, amount: string): Promise<void>;
  };
};

/** Admits an account that has paid before: nothing is charged, and the receipt is that of the purchase. */
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
 * Continues with a payment from its current state: settled by now, interrupted, or about to be claimed as `fresh`. A
 * new payment proves its payer, who may have bought with another one meanwhile. A sent payment proves no one, because
 * it is public on the chain.
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

/** Returns whether the payment has delivered its content, was meant for other content, or belongs to another holder. */
const isOver = (attempt: PaymentAttempt, { resource, phase, holder }: Claim) =>
  resource !== attempt.resource ||
  phase === "delivered" ||
  phase === "doubted" ||
  !isSameHolder(holder, attempt.brought.holder);

/**
 * Returns whether two payments show the same secret, or both none. Anyone can copy the rest of a payment from its
 * block.
 */
function isSameHolder(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined
    ? one === other
    : isEqualBytes(hexToBytes(one), hexToBytes(other));
}

/** Creates a claim on an earlier purchase of the payer: nothing is settled for it. */
const asProof = (fresh: Claim, { settlement }: Purchase): Claim => ({
  ...fresh,
  phase: "paid",
  settlement,
  isProof: true,
});

/** Returns the claim after a delivery that broke off: the payment stays valid a few times. */
function afterBreak({ delivery: _over, ...claim }: Claim): Claim {
  const broken = (claim.broken ?? 0) + 1;
  return { ...claim, phase: broken > MOST_BROKEN ? "delivered" : "paid", broken };
}

/** The delivering process has died or lost the store, so the delivery counts as broken off. */
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
    // A proof of the payer is not a purchase.
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
          // Done first: otherwise a payer who got the content but may not return would have to pay for it twice.
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
          // The store is down: content that cannot be recorded as delivered is not sent, and must not be recorded
          // later.
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

/** Returns the receipt for the payer, of checked values only; the network has the name of the paid offer. */
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
    // Rebuilt from checked fields, so that the facilitator reads exactly what was checked here, without the payer's
    // secret.
    paymentPayload: {
      x402Version: 1,
      scheme: "exact",
      network,
      payload: { signedTransaction: transfer.transaction, nonce },
    },
    paymentRequirements: buildRequirements(settings, {
      // The name that was paid under: a facilitator may not know the others.
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
