import { Skeleton } from "../_ui/skeleton.tsx";
import { fetchRecorded } from "../_wire/fetch-recorded.ts";
import type { Target } from "./pay.ts";
import { strings } from "./strings.en.ts";

/** What is asked for, to whom it goes and where. */
export function OfferSummary({ quote }: { quote: Quote | null }) {
  const rows = [
    [strings.summary.price, quote?.amount],
    [strings.summary.payee, quote && `@${quote.payTo}`],
    [strings.summary.network, quote?.network],
  ] as const;
  return (
    <dl className="grid grid-cols-[1fr_1fr_auto] gap-3 rounded-xl bg-sunken p-3">
      {rows.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-ink-soft">{name}</dt>
          <dd className="mt-0.5 text-sm font-semibold break-words">
            {value ?? <Skeleton className="h-4 w-16" />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What a resource costs, by its own 402 answer. */
type Quote = { amount: string; payTo: string; network: string };

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
