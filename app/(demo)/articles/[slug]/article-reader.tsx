"use client";

import { LockKeyhole } from "lucide-react";
import { useState } from "react";
import type { ArticleOffer } from "../../_pay/load-articles.ts";
import { messages as payMessages } from "../../_pay/messages.en.ts";
import { useArticle } from "../../_pay/use-article.ts";
import { Button } from "../../_ui/button.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { messages } from "../messages.en.ts";

// Whoever only looks at the price loads nothing of this.
const PayDialog = loadPart(() => import("../../_pay/pay-dialog.tsx").then((module) => module.PayDialog));
const PaidArticle = loadPart(() =>
  import("../../_pay/paid-article.tsx").then((module) => module.PaidArticle),
);

/** The article for who has paid, and the way to pay for who has not. */
export function ArticleReader({ article }: { article: ArticleOffer }) {
  const { slug, title, price } = article;
  const { paid, text, take } = useArticle(slug);
  const [isPaying, setIsPaying] = useState(false);
  if (paid) return <PaidArticle text={text} paid={paid} />;
  return (
    <>
      <section className="mt-8 rounded-2xl border border-line bg-surface p-6 text-center shadow-lift sm:p-8">
        <LockKeyhole aria-hidden size={26} className="mx-auto text-accent-text" />
        <p className="mt-3 font-semibold">{messages.locked}</p>
        <p className="mx-auto mt-2 max-w-prose text-sm text-ink-soft">{messages.how}</p>
        <Button tone="primary" size="large" className="mt-5" onClick={() => setIsPaying(true)}>
          {payMessages.unlock(price)}
        </Button>
      </section>
      {isPaying && (
        <PayDialog
          title={title}
          amount={price}
          target={{ method: "GET", url: `/api/demo/articles/${slug}` }}
          onClose={() => setIsPaying(false)}
          onPaid={(bought) => {
            take(bought);
            setIsPaying(false);
          }}
        />
      )}
    </>
  );
}
