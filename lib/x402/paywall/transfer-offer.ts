import { version2NameOf } from "../../chains.ts";
import { readMils } from "../../mils.ts";
import { hiveTransferLink } from "../../wallet-links/transfer-links.ts";
import { memoOfTicket } from "../ticket-memo.ts";
import type { TransferOffer } from "../types.ts";

/** Long enough to find a wallet on another device, and to type account, amount and memo. */
export const TRANSFER_SECONDS = 900;

/** Builds the offer to pay by a transfer that the payer's wallet sends itself; only `ticket` opens the resource. */
export function buildTransferOffer(
  ticket: string,
  { network, amount, payTo }: { network: string; amount: string; payTo: string },
): TransferOffer {
  const memo = memoOfTicket(ticket);
  return {
    scheme: "exact",
    network: version2NameOf(network),
    amount: String(readMils(amount)),
    asset: "HBD",
    payTo,
    maxTimeoutSeconds: TRANSFER_SECONDS,
    extra: {
      ...{ assetTransferMethod: "memo", paymentFlow: "upfront", memo, claim: ticket },
      hiveUri: hiveTransferLink({ to: payTo, amount, memo }),
    },
  };
}
