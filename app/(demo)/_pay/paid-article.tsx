"use client";

import { ArticleText } from "./article-text.tsx";
import { FlowInspector } from "./flow-inspector.tsx";
import { ReceiptCard } from "./receipt-card.tsx";
import type { Paid } from "./use-payment.ts";

/** An article with its receipt and the steps that opened it. */
export function PaidArticle({ text, paid }: { text: string; paid: Paid }) {
  return (
    <>
      <article className="mt-6">
        <ArticleText text={text} />
      </article>
      <div className="mt-8 space-y-2">
        <ReceiptCard receipt={paid.receipt} />
        <FlowInspector steps={paid.flow} />
      </div>
    </>
  );
}
