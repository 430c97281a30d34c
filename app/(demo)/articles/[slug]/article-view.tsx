"use client";

import { SearchX } from "lucide-react";
import Link from "next/link";
import type { ArticleOffer } from "../../_pay/load-articles.ts";
import { Unavailable } from "../../_session/unavailable.tsx";
import { useResource } from "../../_session/use-resource.ts";
import { buttonLook } from "../../_ui/button.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { strings } from "../strings.en.ts";
import { ArticleReader } from "./article-reader.tsx";

/** One article: what is told of it for nothing, and the rest for who pays. */
export function ArticleView({ slug }: { slug: string }) {
  const { data, error, retry } = useResource<{ articles: ArticleOffer[] }>("/api/demo/articles");
  if (error) return <Unavailable error={error} onRetry={retry} />;
  if (!data) return <Skeleton className="mt-3 h-72 rounded-2xl" />;
  const article = data.articles.find((offer) => offer.slug === slug);
  if (!article)
    return (
      <Notice
        heading="h1"
        className="mt-6"
        icon={<SearchX aria-hidden size={28} />}
        title={strings.missing}
        actions={
          <Link href="/articles" className={buttonLook({ tone: "primary" })}>
            {strings.back}
          </Link>
        }
      />
    );
  return (
    <>
      <title>{`${article.title} · Hivegate`}</title>
      <h1 className="mt-3 text-3xl font-semibold tracking-tight text-balance sm:text-4xl">{article.title}</h1>
      <p className="mt-4 max-w-prose text-lg text-ink-soft">{article.teaser}</p>
      <ArticleReader article={article} />
    </>
  );
}
