"use client";

import { LockKeyhole } from "lucide-react";
import type { ArticleOffer } from "../../_pay/load-articles.ts";
import { UnlockButton } from "../../_pay/unlock-button.tsx";
import { useArticle } from "../../_pay/use-article.ts";
import { loadPart } from "../../_ui/load-part.tsx";
import { strings } from "../strings.en.ts";

const PaidArticle = loadPart(() =>
  import("../../_pay/paid-article.tsx").then((module) => module.PaidArticle),
);

/** The article for who has paid, and the way to pay for who has not. */
export function ArticleReader({ article }: { article: ArticleOffer }) {
  const { paid, isFresh, text, take } = useArticle(article.slug);
  if (paid) return <PaidArticle text={text} paid={paid} isFresh={isFresh} />;
  return (
    <section className="mt-8 rounded-2xl border border-line bg-surface p-6 text-center shadow-lift sm:p-8">
      <LockKeyhole aria-hidden size={26} className="mx-auto text-accent-text" />
      <p className="mt-3 font-semibold">{strings.locked}</p>
      <p className="mx-auto mt-2 max-w-prose text-sm text-ink-soft">{strings.how}</p>
      <UnlockButton article={article} size="large" className="mt-5" onPaid={take} />
    </section>
  );
}
