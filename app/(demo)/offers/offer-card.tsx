import { ExternalLink } from "lucide-react";
import type { ResourcesPage } from "../../../lib/contract/payment-answers.ts";
import { buttonLook } from "../_ui/button.tsx";
import { momentOf } from "../_ui/language.ts";
import { priceOf } from "./price-of.ts";
import { strings } from "./strings.en.ts";

type Listing = ResourcesPage["items"][number];

/** One resource for sale: its name, price, seller and address, and what to send and to expect. */
export function OfferCard({ listing }: { listing: Listing }) {
  const { resource, accepts, description, serviceName, tags = [], lastUpdated } = listing;
  const { input, output } = listing.extensions.bazaar.info;
  const [offer] = accepts;
  const name = description ?? serviceName ?? new URL(resource).pathname;
  const sellers = [
    ...(offer ? [strings.seller(offer.payTo)] : []),
    ...(serviceName !== undefined && serviceName !== name ? [serviceName] : []),
  ];
  const sent = "body" in input ? input.body : input.queryParams;
  return (
    <li className="rounded-2xl border border-line bg-surface p-5 sm:p-6">
      <div className="flex items-start justify-between gap-4">
        <h2 dir="auto" className="min-w-0 text-lg font-semibold [overflow-wrap:anywhere]">
          {name}
        </h2>
        {offer && (
          <span className="shrink-0 rounded-full bg-selected px-3 py-1 text-sm font-medium text-ink tabular-nums">
            {priceOf(offer.amount)}
          </span>
        )}
      </div>
      <p className="mt-1 text-sm text-ink-soft [overflow-wrap:anywhere]">{sellers.join(" · ")}</p>
      <p dir="ltr" className="mt-3 font-mono text-sm [overflow-wrap:anywhere]">
        <span className="font-semibold">{input.method}</span> {resource}
      </p>
      <dl className="mt-3 space-y-2 text-sm">
        {sent !== undefined && <Sample name={strings.send} value={sent} />}
        {output?.example !== undefined && <Sample name={strings.receive} value={output.example} />}
      </dl>
      {tags.length > 0 && (
        <ul className="mt-3 flex flex-wrap gap-2 text-sm text-ink-soft">
          {tags.map((tag) => (
            <li key={tag} className="rounded-full border border-line px-2.5 py-0.5">
              {tag}
            </li>
          ))}
        </ul>
      )}
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <time dateTime={lastUpdated} className="text-sm text-ink-soft">
          {strings.sold(momentOf(new Date(lastUpdated)))}
        </time>
        {/* The link opens the seller's own page with the price. Resources with another method, or with a
            parameter in their path, are for programs and get no link. */}
        {input.method === "GET" && !resource.includes("/:") && (
          <a
            href={resource}
            target="_blank"
            rel="noreferrer noopener"
            aria-label={strings.open(name)}
            className={buttonLook()}
          >
            {strings.openShort}
            <ExternalLink aria-hidden size={15} />
          </a>
        )}
      </div>
    </li>
  );
}

function Sample({ name, value }: { name: string; value: unknown }) {
  return (
    <div>
      <dt className="text-ink-soft">{name}</dt>
      <dd dir="ltr">
        <code className="mt-0.5 block max-h-40 overflow-auto rounded-lg bg-sunken px-3 py-2 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
        </code>
      </dd>
    </div>
  );
}
