"use client";

import Link from "next/link";
import type { ArticleOffer, KeptReceipt } from "../../../lib/contract/payment-answers.ts";
import { ReceiptCard } from "../_pay/receipt-card.tsx";
import { momentOf } from "../_ui/language.ts";
import { strings } from "./strings.en.ts";

/** Every article that the account, or this browser, has bought, each with its receipt. */
export function Library({
  articles,
  receipts,
}: {
  articles: readonly ArticleOffer[];
  receipts: ReadonlyMap<string, KeptReceipt>;
}) {
  return (
    <section aria-labelledby="library" className="mt-12">
      <h2 id="library" className="text-lg font-semibold">
        {strings.library.title}
      </h2>
      <p className="mt-1 max-w-prose text-sm text-ink-soft">{strings.library.lead}</p>
      <ul className="mt-4 space-y-4">
        {articles.map(({ slug, title }) => {
          const receipt = receipts.get(slug);
          return receipt && <LibraryRow key={slug} slug={slug} title={title} receipt={receipt} />;
        })}
      </ul>
    </section>
  );
}

function LibraryRow({ slug, title, receipt }: { slug: string; title: string; receipt: KeptReceipt }) {
  const { paidAt } = receipt;
  return (
    <li>
      <p className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <Link href={`/articles/${slug}`} prefetch={false} className="font-medium underline">
          {title}
        </Link>
        {paidAt && (
          <time dateTime={paidAt} className="text-sm text-ink-soft">
            {momentOf(new Date(paidAt))}
          </time>
        )}
      </p>
      <ReceiptCard receipt={receipt} />
    </li>
  );
}
