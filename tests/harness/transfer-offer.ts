import type { TransferOffer } from "#lib/x402/types.ts";

/** Returns an offer of 0.050 HBD to the shop, to be paid by a sent transfer, for a claim. */
export const transferOfferOf = (claim: string): TransferOffer => ({
  ...{ scheme: "exact", network: "hive:beeab0de", amount: "50", asset: "HBD", payTo: "shop" },
  maxTimeoutSeconds: 900,
  extra: {
    ...{ assetTransferMethod: "memo", paymentFlow: "upfront", memo: "x402:ABC", claim },
    hiveUri: "hive://sign/op/x",
  },
});
