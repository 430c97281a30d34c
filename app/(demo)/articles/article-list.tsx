"use client";

import { ArrowRight, Check } from "lucide-react";
import Link from "next/link";
import type { ArticleOffer, Articles } from "../../../lib/contract/payment-answers.ts";
import { usePersonKey, useReceipts } from "../_pay/articles.ts";
import { Unavailable } from "../_session/unavailable.tsx";
import { useResource } from "../_session/use-resource.ts";
import { loadPart } from "../_ui/load-part.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { strings } from "./strings.en.ts";

// Readers without purchases do not load this part.
const Library = loadPart(() => import("./library.tsx").then((part) => part.Library));

function ArticleRow({ slug, title, price, teaser, isOwn }: ArticleOffer & { isOwn: boolean }) {
  return (
    <li className="relative rounded-2xl border border-line bg-surface p-5 transition-colors hover:border-line-strong sm:p-6">
      <div className="flex items-start justify-between gap-4">
        <h2 dir="auto" className="text-lg font-semibold">
          <Link
            href={`/articles/${slug}`}
            prefetch={false}
            className="after:absolute after:inset-0 after:rounded-2xl"
          >
            {title}
          </Link>
        </h2>
        {isOwn ? (
          <span className="flex shrink-0 items-center gap-1.5 rounded-full bg-good-wash px-3 py-1 text-sm font-medium text-good">
            <Check aria-hidden size={14} />
            {strings.yours}
          </span>
        ) : (
          <span className="shrink-0 rounded-full bg-selected px-3 py-1 text-sm font-medium text-ink tabular-nums">
            {price}
          </span>
        )}
      </div>
      <p dir="auto" className="mt-2 text-ink-soft">
        {teaser}
      </p>
      <p aria-hidden className="mt-4 flex items-center gap-1.5 text-sm font-medium text-link">
        {strings.read(title)}
        <ArrowRight size={15} className="rtl:-scale-x-100" />
      </p>
    </li>
  );
}

const none: readonly ArticleOffer[] = [];

/** The articles for sale, each with its price, and the purchased ones, with receipts. */
export function ArticleList() {
  return <OwnArticleList key={usePersonKey()} />;
}

function OwnArticleList() {
  const { data, error, retry } = useResource<Articles>("/api/demo/articles");
  const receipts = useReceipts(data?.articles ?? none);
  if (error)
    return (
      <>
        <Unavailable error={error} onRetry={retry} />
        <OtherOffers />
      </>
    );
  return (
    <>
      <ul className="mt-8 space-y-4" aria-busy={!data}>
        {data
          ? data.articles.map((article) => (
              <ArticleRow key={article.slug} {...article} isOwn={receipts.has(article.slug)} />
            ))
          : ["a", "b", "c"].map((key) => (
              <li key={key}>
                <Skeleton className="h-44 rounded-2xl" />
              </li>
            ))}
      </ul>
      {data && receipts.size > 0 && <Library articles={data.articles} receipts={receipts} />}
      {data && <OtherOffers />}
    </>
  );
}

function OtherOffers() {
  return (
    <p className="mt-8">
      <Link href="/offers" prefetch={false} className="font-medium text-link underline">
        {strings.others}
      </Link>
    </p>
  );
}
