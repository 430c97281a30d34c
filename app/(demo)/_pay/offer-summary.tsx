import { Skeleton } from "../_ui/skeleton.tsx";
import type { Quote } from "./load-quote.ts";
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
