"use client";

import { ArrowRight } from "lucide-react";
import Link from "next/link";
import type { ArticleOffer } from "../_pay/articles.ts";
import { useResource } from "../_session/gateway.ts";
import { Unavailable } from "../_session/unavailable.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { strings } from "./strings.en.ts";

function ArticleRow({ slug, title, price, teaser }: ArticleOffer) {
  return (
    <li className="relative rounded-2xl border border-line bg-surface p-5 transition-colors hover:border-line-strong sm:p-6">
      <div className="flex items-start justify-between gap-4">
        <h2 className="text-lg font-semibold">
          <Link
            href={`/articles/${slug}`}
            prefetch={false}
            className="after:absolute after:inset-0 after:rounded-2xl"
          >
            {title}
          </Link>
        </h2>
        <span className="shrink-0 rounded-full bg-accent-wash px-3 py-1 text-sm font-medium text-accent-text tabular-nums">
          {price}
        </span>
      </div>
      <p className="mt-2 text-ink-soft">{teaser}</p>
      <p aria-hidden className="mt-4 flex items-center gap-1.5 text-sm font-medium text-accent-text">
        {strings.read(title)}
        <ArrowRight size={15} />
      </p>
    </li>
  );
}

/** What is for sale, each with its price. */
export function ArticleList() {
  const { data, error, retry } = useResource<{ articles: ArticleOffer[] }>("/api/demo/articles");
  if (error) return <Unavailable error={error} onRetry={retry} />;
  return (
    <ul className="mt-8 space-y-4" aria-busy={!data}>
      {data
        ? data.articles.map((article) => <ArticleRow key={article.slug} {...article} />)
        : ["a", "b", "c"].map((key) => (
            <li key={key}>
              <Skeleton className="h-44 rounded-2xl" />
            </li>
          ))}
    </ul>
  );
}
