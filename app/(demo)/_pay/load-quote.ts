import { fetchRecorded } from "../_wire/fetch-recorded.ts";
import type { Target } from "./pay.ts";

/** What a resource costs, by its own 402 answer. */
export type Quote = { amount: string; payTo: string; network: string };

/** Asks without paying. @throws Error for every answer that is no offer */
export async function loadQuote({ method, url }: Target, signal: AbortSignal): Promise<Quote> {
  const response = await fetchRecorded(url, { method, signal, headers: { accept: "application/json" } });
  const { accepts } = (await response.json().catch(() => ({}))) as {
    accepts?: Array<{ maxAmountRequired: string; payTo: string; network: string }>;
  };
  const [offer] = accepts ?? [];
  if (response.status !== 402 || !offer) throw new Error("There is no offer.");
  return { amount: offer.maxAmountRequired, payTo: offer.payTo, network: offer.network };
}
