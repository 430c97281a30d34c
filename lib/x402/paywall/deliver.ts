import type { SettleResponse } from "../types.ts";
import type { Claim } from "./claim.ts";
import type { Lease } from "./claims.ts";
import { type Admitted, type Begun, type DeliveryEnd, notWrittenDown, type Receipt } from "./decision.ts";
import { type PaymentAttempt, rememberPurchase } from "./payment-attempt.ts";

/** The number of copies that a payer gets for free by repeatedly reading all but the last byte. */
const MOST_BROKEN = 3;

/** Admits an account that has paid before. Nothing is charged, and the receipt is that of the purchase. */
export function readmit(payer: string, settlement: SettleResponse): Admitted {
  const delivery = {
    keepsAnswer: false,
    begin: async (): Promise<Begun> => ({ kind: "begun", settlement }),
    end: async () => {},
    fail: async () => {},
    leave: async () => {},
  };
  return { kind: "admitted", payer, txId: settlement.txId ?? "", settlement, delivery };
}

/** Admits the payer of a settled payment; the lease ends with the delivery. */
export function admit(
  attempt: PaymentAttempt,
  claim: Claim,
  settlement: SettleResponse,
  lease: Lease,
): Admitted {
  const { claims, brought, identified } = attempt;
  const receipt = receiptOf(settlement, brought);
  const remember = async () => {
    // A proof of the payer is not a new purchase.
    if (!claim.isProof) await rememberPurchase(attempt, receipt, claim.amount);
  };
  const withheld: Begun = { kind: "refused", refusal: notWrittenDown, settlement: receipt };
  const delivering: Claim = { ...claim, phase: "delivering", delivery: crypto.randomUUID() };
  return {
    kind: "admitted",
    payer: brought.payer,
    txId: settlement.txId ?? brought.id,
    settlement: receipt,
    delivery: {
      keepsAnswer: identified?.isKeepable ?? false,
      async begin() {
        try {
          // The purchase is stored first; otherwise a payer who got the content but has no stored purchase
          // would have to pay for it twice.
          await remember();
        } catch {
          await lease.release();
          return withheld;
        }
        try {
          if (!(await claims.change(brought.id, claim, delivering))) {
            await lease.release();
            return withheld;
          }
        } catch {
          // The store is down: content whose delivery cannot be recorded is not sent, and must not be
          // recorded later.
          void claims.takeBack(brought.id, claim, delivering).then(() => lease.release());
          return withheld;
        }
        return { kind: "begun", settlement: await signed(attempt, receipt) };
      },
      async end(how, answer) {
        // Stored first, because a payment that counts as delivered opens nothing more.
        if (how === "whole" && answer) await identified?.keep(answer);
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

/**
 * Returns the payer's receipt, which holds only checked values; its network has the name from the paid offer.
 */
function receiptOf(
  { txId, blockNum }: SettleResponse,
  { network, payer }: PaymentAttempt["brought"],
): SettleResponse {
  return {
    success: true,
    ...(txId !== undefined && { txId, transaction: txId }),
    ...(blockNum !== undefined && { blockNum }),
    payer,
    network,
  };
}

/** Adds the seller's signature, if the seller signs. Never rejects, because the content was paid for. */
async function signed(
  { settings, clock, brought, address }: PaymentAttempt,
  receipt: SettleResponse,
): Promise<Receipt> {
  const extensions = await settings.signer
    ?.signReceipt({
      ...{ network: brought.network, resourceUrl: address, payer: brought.payer },
      ...{ txId: receipt.txId ?? brought.id, nowMs: clock.latest() },
    })
    .catch(() => undefined);
  return extensions ? { ...receipt, extensions } : receipt;
}

/** Returns the claim after a delivery that broke off: the payment remains valid for a few more deliveries. */
export function afterBreak({ delivery: _over, ...claim }: Claim): Claim {
  const broken = (claim.broken ?? 0) + 1;
  return { ...claim, phase: broken > MOST_BROKEN ? "delivered" : "paid", broken };
}
