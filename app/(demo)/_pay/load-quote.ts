import { ApiError } from "../_session/api.ts";
import { fetchRecorded } from "../_wire/fetch-recorded.ts";
import type { Target } from "./pay.ts";

/** What a resource costs, by its own 402 answer. */
export type Quote = { amount: string; payTo: string; network: string };

/** Asks without paying. @throws ApiError for every answer that is no offer */
export async function loadQuote({ method, url }: Target, signal: AbortSignal): Promise<Quote> {
  const response = await fetchRecorded(url, { method, signal, headers: { accept: "application/json" } });
  const { accepts, code } = (await response.json().catch(() => ({}))) as {
    accepts?: Array<{ maxAmountRequired: string; payTo: string; network: string }>;
    code?: string;
  };
  const [offer] = accepts ?? [];
  if (response.status !== 402 || !offer)
    throw new ApiError({ status: response.status, code: code ?? "unknown", message: "There is no offer." });
  return { amount: offer.maxAmountRequired, payTo: offer.payTo, network: offer.network };
}
