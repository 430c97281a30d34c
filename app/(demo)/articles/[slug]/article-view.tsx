"use client";

import { LockKeyhole, SearchX } from "lucide-react";
import Link from "next/link";
import type { ArticleOffer, Articles } from "#lib/contract/payment-answers.ts";
import { useArticle, usePersonKey } from "../../_pay/articles.ts";
import { UnlockButton } from "../../_pay/unlock-button.tsx";
import { Unavailable } from "../../_session/unavailable.tsx";
import { useResource } from "../../_session/use-resource.ts";
import { buttonLook } from "../../_ui/button.tsx";
import { failedNote } from "../../_ui/failed-note.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { usePageTitle } from "../../_ui/page-title.ts";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { strings } from "../strings.en.ts";

/** One article: its free beginning, and the rest for a payment. */
export function ArticleView({ slug }: { slug: string }) {
  return <ArticleOf key={usePersonKey()} slug={slug} />;
}

function ArticleOf({ slug }: { slug: string }) {
  const { data, error, retry } = useResource<Articles>("/api/demo/articles");
  const article = data?.articles.find((offer) => offer.slug === slug);
  usePageTitle(article ? `${article.title} · Hivegate` : null);
  if (error) return <Unavailable error={error} onRetry={retry} />;
  if (!data) return <Skeleton className="mt-3 h-72 rounded-2xl" />;
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
      <h1 dir="auto" className="mt-3 text-xl font-semibold tracking-tight text-balance">
        {article.title}
      </h1>
      <p dir="auto" className="mt-4 max-w-prose text-lg text-ink-soft">
        {article.teaser}
      </p>
      <ArticleReader article={article} />
    </>
  );
}

const PaidArticle = loadPart(
  () => import("../../_pay/paid-article.tsx").then((module) => module.PaidArticle),
  failedNote,
);

/** The article for readers who have paid, and the way to pay for others. */
function ArticleReader({ article }: { article: ArticleOffer }) {
  const { paid, isFresh, isAwaited, error, retry, text, pictures, take } = useArticle(
    article.slug,
    article.receipt,
  );
  if (isAwaited && error) return <Unavailable error={error} onRetry={retry} />;
  if (isAwaited) return <Skeleton className="mt-6 h-72 rounded-2xl" />;
  if (paid) return <PaidArticle text={text} pictures={pictures} paid={paid} isFresh={isFresh} />;
  return (
    <section className="mt-8 rounded-2xl border border-line bg-surface p-6 text-center shadow-lift sm:p-8">
      <LockKeyhole aria-hidden size={26} className="mx-auto text-ink-soft" />
      <p className="mt-3 font-semibold">{strings.locked}</p>
      <p className="mx-auto mt-2 max-w-prose text-sm text-ink-soft">{strings.how}</p>
      <UnlockButton article={article} size="large" className="mt-5" onPaid={take} />
    </section>
  );
}
