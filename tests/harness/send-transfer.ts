import { encodeBase64Json } from "../../lib/x402/header.ts";
import type { PaymentOfTransfer, PaymentRequired, TransferOffer } from "../../lib/x402/types.ts";
import { secretOf, signTransaction } from "./sign-transaction.ts";

type Chain = { chainId: string; call(method: string, params: unknown): Promise<unknown> };

export type SentTransfer = {
  from?: string;
  to?: string;
  mils?: number;
  symbol?: "HBD" | "HIVE";
  memo: string;
};

/** Sends transfers of one account in one transaction, as a wallet does, and returns the transaction's id. */
export async function sendTransfers(chain: Chain, transfers: readonly SentTransfer[]): Promise<string> {
  const from = transfers[0]?.from ?? "alice";
  const { id, json } = await signTransaction(
    chain,
    transfers.map(({ to = "shop", mils = 50, symbol = "HBD", memo }) => ({
      ...{ type: "transfer", from, to, memo },
      amount: { amount: BigInt(mils), symbol },
    })),
    { keys: [secretOf(from, "active")] },
  );
  await chain.call("condenser_api.broadcast_transaction", [json]);
  return id;
}

/** Sends a transfer of 0.050 HBD from alice to shop, unless `transfer` differs. */
export const sendTransfer = (chain: Chain, transfer: SentTransfer): Promise<string> =>
  sendTransfers(chain, [transfer]);

/** Returns the offer to pay by a sent transfer from the body of a 402. */
export async function transferOfferOf(response: Response): Promise<TransferOffer> {
  const { transfer } = (await response.json()) as PaymentRequired;
  if (!transfer) throw new Error(`no transfer is offered with status ${response.status}`);
  return transfer;
}

/** Returns the header of a claim. */
export const presentClaim = (
  accepted: TransferOffer,
  claim = accepted.extra.claim,
): Record<string, string> => ({
  "payment-signature": encodeBase64Json({
    x402Version: 2,
    accepted,
    payload: { type: "memo", claim },
  } satisfies PaymentOfTransfer),
});

/** Creates a facilitator's request about a claim for 0.050 HBD to shop, as a seller of version 2 sends it. */
export function claimRequest(
  claim: string,
  { network, mils = 50, endMs }: { network: string; mils?: number; endMs?: number | undefined },
) {
  const accepted = {
    ...{
      scheme: "exact",
      network,
      amount: String(mils),
      asset: "HBD",
      payTo: "shop",
      maxTimeoutSeconds: 900,
    },
    extra: { assetTransferMethod: "memo", paymentFlow: "upfront" },
  };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted, payload: { type: "memo", claim } },
    paymentRequirements: {
      ...accepted,
      resource: "http://shop.example/article",
      ...(endMs !== undefined && { validBefore: new Date(endMs).toISOString() }),
    },
  };
}
