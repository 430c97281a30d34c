"use client";

import { useRef } from "react";
import type { ArticlePictures } from "./article-picture.tsx";
import { ArticleText } from "./article-text.tsx";
import { FlowInspector } from "./flow-inspector.tsx";
import type { Paid } from "./ongoing-payments.ts";
import { ReceiptCard, useFocusWhenPaid } from "./receipt-card.tsx";

/** An article with its receipt and the steps that opened it. */
export function PaidArticle({
  text,
  pictures,
  paid,
  isFresh,
}: {
  text: string;
  pictures: ArticlePictures;
  paid: Paid;
  isFresh: boolean;
}) {
  const article = useRef<HTMLElement>(null);
  useFocusWhenPaid(article, isFresh);
  return (
    <>
      <div className="mt-6">
        <ReceiptCard receipt={paid.receipt} />
      </div>
      <article ref={article} tabIndex={-1} className="mt-2 outline-none">
        <ArticleText text={text} pictures={pictures} />
      </article>
      <div className="mt-8">
        <FlowInspector steps={paid.flow} />
      </div>
    </>
  );
}
