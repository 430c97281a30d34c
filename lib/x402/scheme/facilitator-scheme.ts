import type { Network, SchemeNetworkFacilitator } from "@x402/core/types";
import type { HiveFacilitator } from "../facilitator/index.ts";

/**
 * HBD payments for the official `x402Facilitator`: `facilitator.register(["hive:mainnet"], scheme)`, with a facilitator
 * of this package behind it.
 * @example new x402Facilitator().register(["hive:mainnet"], createFacilitatorScheme(createFacilitator({ store })));
 */
export function createFacilitatorScheme(
  facilitator: Pick<HiveFacilitator, "verify" | "settle">,
): SchemeNetworkFacilitator {
  return {
    scheme: "exact",
    caipFamily: "hive:*",
    getExtra: () => undefined,
    // The payer signs everything; the facilitator has no account.
    getSigners: () => [],
    verify: (paymentPayload, paymentRequirements) =>
      facilitator.verify({ paymentPayload, paymentRequirements }),
    async settle(paymentPayload, paymentRequirements) {
      const settlement = await facilitator.settle({ paymentPayload, paymentRequirements });
      return { ...settlement, network: settlement.network as Network };
    },
  };
}
