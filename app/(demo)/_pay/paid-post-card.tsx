"use client";

import { LockKeyhole, LockKeyholeOpen } from "lucide-react";
import { useRef } from "react";
import { Button } from "../_ui/button.tsx";
import { failedNote } from "../_ui/failed-note.tsx";
import { Folded, holdPlace } from "../_ui/folded.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { loadArticle, useArticle, usePersonKey } from "./articles.ts";
import { FlowInspector } from "./flow-inspector.tsx";
import { ReceiptCard, useFocusWhenPaid } from "./receipt-card.tsx";
import { strings } from "./strings.en.ts";
import { UnlockButton } from "./unlock-button.tsx";
import { useLoaded } from "./use-loaded.ts";

const ArticleText = loadPart(
  () => import("./article-text.tsx").then((module) => module.ArticleText),
  failedNote,
);

/** A paid post in the chat: its title and price and, once paid, its text and receipt. */
export function PaidPostCard({ slug }: { slug: string }) {
  return <Card key={usePersonKey()} slug={slug} />;
}

function Card({ slug }: { slug: string }) {
  const article = useLoaded(slug, () => loadArticle(slug));
  const element = useRef<HTMLElement>(null);
  const { paid, isFresh, isAwaited, error, retry, text, pictures, take } = useArticle(
    slug,
    article.data?.receipt,
    () => holdPlace(element.current),
  );
  useFocusWhenPaid(element, isFresh);

  if (article.status === "loading") return <Skeleton className="mt-2 h-28 max-w-lg rounded-2xl" />;
  if (!article.data) return <p className="mt-2 text-sm text-ink-soft">{strings.post.failed}</p>;
  const isBought = paid !== null || isAwaited;
  const Icon = isBought ? LockKeyholeOpen : LockKeyhole;
  return (
    <article
      ref={element}
      tabIndex={-1}
      className="mt-2 max-w-lg rounded-2xl border border-line bg-raised p-4 outline-none"
    >
      <p className="flex items-center gap-1.5 text-xs font-medium text-ink-soft">
        <Icon aria-hidden size={14} />
        {isBought ? strings.post.paid : strings.post.label}
      </p>
      <h3 className="mt-1 font-semibold">{article.data.title}</h3>
      {paid ? (
        <>
          <div className="mt-2">
            <ReceiptCard receipt={paid.receipt} />
          </div>
          <Folded more={strings.continueReading}>
            <ArticleText text={text} pictures={pictures} />
          </Folded>
          <FlowInspector steps={paid.flow} />
        </>
      ) : isAwaited ? (
        <Awaited hasFailed={error !== null} onRetry={retry} />
      ) : (
        <>
          <p className="mt-1 text-sm text-ink-soft">{article.data.teaser}</p>
          <UnlockButton article={article.data} size="small" className="mt-3" onPaid={take} />
        </>
      )}
    </article>
  );
}

/** Placeholder for a purchase that has not arrived yet. */
function Awaited({ hasFailed, onRetry }: { hasFailed: boolean; onRetry: () => void }) {
  if (!hasFailed) return <Skeleton className="mt-2 h-28 rounded-xl" />;
  return (
    <div role="alert" className="mt-1 text-sm text-ink-soft">
      <p className="mb-3">{strings.post.unread}</p>
      <Button size="small" onClick={onRetry}>
        {strings.tryAgain}
      </Button>
    </div>
  );
}
