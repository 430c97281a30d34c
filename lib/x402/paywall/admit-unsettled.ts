import { ClaimStoreError } from "./claim-store.ts";
import type { Lease } from "./claims.ts";
import {
  type Admitted,
  type Delivery,
  type Rejected,
  type Unavailable,
  type Unpaid,
  unavailable,
} from "./decision.ts";
import { endTurn, type PaymentAttempt } from "./payment-attempt.ts";

const STORE_DOWN_SECONDS = 5;

/**
 * Admits the payer of a verified payment, which `settle` settles once the handler has answered. Until then,
 * nothing is recorded except the lease, so a handler that fails, or dies with its process, leaves the payment
 * as it was.
 */
export function admitUnsettled(
  attempt: PaymentAttempt,
  lease: Lease,
  settle: () => Promise<Admitted | Unavailable | Rejected | Unpaid>,
): Admitted {
  const { brought, identified } = attempt;
  let settled: Delivery | undefined;
  const free = async () => {
    await endTurn(attempt);
    await lease.release();
  };
  const trySettle = async () => {
    try {
      return await settle();
    } catch (error) {
      if (error instanceof ClaimStoreError) return unavailable("degraded", STORE_DOWN_SECONDS);
      throw error;
    }
  };
  return {
    kind: "admitted",
    payer: brought.payer,
    // A facilitator finds a payment by this id even if the chain lists it under the id of the other packing.
    txId: brought.id,
    settlement: null,
    delivery: {
      keepsAnswer: identified?.isKeepable ?? false,
      async begin() {
        const outcome = await trySettle();
        if (outcome.kind === "admitted") {
          settled = outcome.delivery;
          return settled.begin();
        }
        await (outcome.kind === "unavailable" ? lease.release() : free());
        return { kind: "refused", refusal: await attempt.refuse(outcome), settlement: null };
      },
      end: async (how, answer) => settled?.end(how, answer),
      fail: free,
      leave: free,
    },
  };
}
