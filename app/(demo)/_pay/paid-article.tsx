"use client";

import { ArticleText } from "./article-text.tsx";
import { FlowInspector } from "./flow-inspector.tsx";
import { ReceiptCard, useFocusWhenPaid } from "./receipt-card.tsx";
import type { Paid } from "./use-payment.ts";

/** An article with its receipt and the steps that opened it. */
export function PaidArticle({ text, paid, isFresh }: { text: string; paid: Paid; isFresh: boolean }) {
  const article = useFocusWhenPaid(isFresh);
  return (
    <>
      <article ref={article} tabIndex={-1} className="mt-6 outline-none">
        <ArticleText text={text} />
      </article>
      <div className="mt-8 space-y-2">
        <ReceiptCard receipt={paid.receipt} />
        <FlowInspector steps={paid.flow} />
      </div>
    </>
  );
}
