"use client";

import { useState } from "react";
import type { ArticleOffer } from "../../../lib/contract/payment-answers.ts";
import { Button } from "../_ui/button.tsx";
import { loadClosable } from "../_ui/load-closable.tsx";
import { articleSubject } from "./articles.ts";
import type { Paid } from "./ongoing-payments.ts";
import { strings } from "./strings.en.ts";

// Readers who only look at the price do not load the dialog.
const PayDialog = loadClosable(() => import("./pay-dialog.tsx").then((module) => module.PayDialog));

/** Shows an article's price and opens the dialog in which it is paid. */
export function UnlockButton({
  article,
  size,
  className,
  onPaid,
}: {
  article: ArticleOffer;
  size: "small" | "large";
  className: string;
  onPaid: (paid: Paid) => void;
}) {
  const [isPaying, setIsPaying] = useState(false);
  return (
    <>
      <Button tone="primary" size={size} className={className} onClick={() => setIsPaying(true)}>
        {strings.unlock(article.price)}
      </Button>
      {isPaying && (
        <PayDialog
          subject={articleSubject(article)}
          amount={article.price}
          target={{ method: "GET", url: `/api/demo/articles/${article.slug}` }}
          onClose={() => setIsPaying(false)}
          onPaid={(paid) => {
            onPaid(paid);
            setIsPaying(false);
          }}
        />
      )}
    </>
  );
}
