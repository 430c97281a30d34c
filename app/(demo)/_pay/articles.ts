"use client";

import { useMemo, useState, useSyncExternalStore } from "react";
import type { Article, ArticleOffer, KeptReceipt } from "../../../lib/chat-client/index.ts";
import { gateway, onPerson, PERSONAL } from "../_session/gateway.ts";
import type { Receipt } from "./receipt-card.tsx";
import { useLoaded } from "./use-loaded.ts";
import type { Paid } from "./use-payment.ts";

let list: Promise<ArticleOffer[]> | null = null;
onPerson(() => {
  list = null;
});

/** One article of the list, which is read once; null for a name that is not on it. */
export async function loadArticle(slug: string): Promise<ArticleOffer | null> {
  list ??= gateway
    .request<{ articles: ArticleOffer[] }>("/api/demo/articles")
    .then(({ articles }) => articles);
  try {
    return (await list).find((article) => article.slug === slug) ?? null;
  } catch (error) {
    list = null;
    throw error;
  }
}

type Bought = Paid & { paidAt?: string };

const keyOf = (slug: string) => PERSONAL + slug;

/** What this person has paid for in this browser already, in whichever tab, so that coming back costs nothing. */
function readBought(slug: string): Bought | null {
  try {
    return JSON.parse(localStorage.getItem(keyOf(slug)) ?? "null") as Bought | null;
  } catch {
    return null;
  }
}

function keepBought(slug: string, bought: Bought): void {
  try {
    localStorage.setItem(keyOf(slug), JSON.stringify(bought));
  } catch {
    // Private windows may refuse; the text lives on in the page.
  }
}

const never = () => () => {};

/** Whether the page is in a browser by now: what that keeps is not known where pages are rendered first. */
function useIsClient(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** The receipts of those articles that the account that is signed in, or else this browser, has bought, by their names. */
export function useReceipts(articles: readonly ArticleOffer[]): ReadonlyMap<string, KeptReceipt> {
  const isClient = useIsClient();
  return useMemo(() => {
    const receipts = articles.flatMap(({ slug, receipt }) => {
      const bought = isClient && !receipt ? readBought(slug) : null;
      const kept = receipt ?? (bought && { ...bought.receipt, paidAt: bought.paidAt ?? "" });
      return kept ? [[slug, kept] as const] : [];
    });
    return new Map(receipts);
  }, [articles, isClient]);
}

/**
 * An article as far as this browser or the account has it: null until it is paid, fresh when that was just now; `take`
 * keeps what was paid. What the account bought elsewhere, by its `receipt`, is fetched for nothing.
 */
export function useArticle(slug: string, receipt?: Receipt) {
  const isClient = useIsClient();
  const [fresh, setFresh] = useState<Paid | null>(null);
  const [kept] = useState(() => (typeof window === "undefined" ? null : readBought(slug)));
  const here = fresh ?? (isClient ? kept : null);
  const elsewhere = useLoaded(here === null && receipt ? slug : null, (signal) =>
    gateway.request<Article>(`/api/demo/articles/${slug}`, { signal }),
  );
  const paid = here ?? (elsewhere.data && receipt ? { body: elsewhere.data, receipt, flow: [] } : null);
  const take = (bought: Paid) => {
    keepBought(slug, { ...bought, paidAt: new Date().toISOString() });
    setFresh(bought);
  };
  const body = (paid?.body as { body?: unknown } | undefined)?.body;
  return {
    paid,
    isFresh: fresh !== null,
    isLoading: here === null && receipt !== undefined && elsewhere.status === "loading",
    text: typeof body === "string" ? body : "",
    take,
  };
}
