"use client";

import type { PaymentRequired, TransferOffer } from "../../../lib/x402/client/index.ts";
import { useChainHere } from "../_session/chain-here.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { fetchRecorded } from "../_wire/wire-log.ts";
import { amountOf } from "./kept-claims.ts";
import { strings } from "./strings.en.ts";
import type { Target } from "./target.ts";

/** The price first, then the coin's value, the payee and the network. */
export function OfferSummary({ amount, quote }: { amount: string; quote: Quote | null }) {
  const here = useChainHere();
  const nameOf = (network: string) => {
    if (network !== here.network) return network;
    if (here.isMain) return strings.summary.mainChain;
    return here.isSandboxs ? strings.summary.sandboxChain : network;
  };
  return (
    <div>
      <p className="text-xl font-semibold tabular-nums">{amount}</p>
      <p className="mt-1 text-sm text-ink-soft">{strings.summary.hbd}</p>
      <p className="mt-0.5 text-sm text-ink-soft [overflow-wrap:anywhere]">
        {quote ? strings.summary.to(quote.payTo, nameOf(quote.network)) : <Skeleton className="h-5 w-48" />}
      </p>
    </div>
  );
}

/** The price of a resource, from its own 402 answer. */
type Quote = {
  amount: string;
  payTo: string;
  network: string;
  /** True if a transfer that the payer's wallet sends can pay it. */
  takesTransfer: boolean;
};

/**
 * Requests the resource without paying. Resolves to "owned" if the account has bought it elsewhere meanwhile.
 * @throws Error for any other answer
 */
export async function loadQuote({ method, url }: Target, signal: AbortSignal): Promise<Quote | "owned"> {
  const response = await fetchRecorded(url, { method, signal, headers: { accept: "application/json" } });
  if (response.ok) return "owned";
  const { accepts, transfer } = (await response.json().catch(() => ({}))) as {
    transfer?: unknown;
    accepts?: Array<{ maxAmountRequired: string; payTo: string; network: string }>;
  };
  const [offer] = accepts ?? [];
  if (response.status !== 402 || !offer) throw new Error("There is no offer.");
  const { maxAmountRequired: amount, payTo, network } = offer;
  return { amount, payTo, network, takesTransfer: transfer !== undefined };
}

/**
 * Requests the offer that a sent transfer of this price pays.
 * @throws TypeError without an answer, Error without such an offer
 */
export async function loadTransferOffer(
  { method, url }: Target,
  { amount, payee }: { amount: string; payee: string },
): Promise<TransferOffer> {
  const response = await fetchRecorded(url, { method, headers: { accept: "application/json" } });
  const { transfer } = (await response.json().catch(() => ({}))) as Partial<PaymentRequired>;
  const isFitting = response.status === 402 && transfer?.payTo === payee && amountOf(transfer) === amount;
  if (!isFitting || !transfer) throw new Error("There is no such offer.");
  return transfer;
}
