"use client";

import { useCallback, useEffectEvent, useMemo, useState, useSyncExternalStore } from "react";
import type { Article, ArticleOffer, Articles, KeptReceipt } from "../../../lib/contract/payment-answers.ts";
import { chatSession } from "../_session/chat-session.ts";
import { onOtherTab } from "../_session/other-tabs.ts";
import { onPerson, PERSONAL } from "../_session/person.ts";
import { createExternalStore, createListeners } from "../_ui/external-store.ts";
import { keepText, readKept } from "../_ui/kept-text.ts";
import type { ArticlePictures } from "./article-picture.tsx";
import type { Paid, Subject } from "./ongoing-payments.ts";
import type { Receipt } from "./receipt-card.tsx";
import { strings } from "./strings.en.ts";
import { useLoaded } from "./use-loaded.ts";

let list: Promise<ArticleOffer[]> | null = null;
/** Purchases since this page was loaded. */
const opened = new Map<string, Paid>();
/** Number of sign-ins and sign-outs since this page was loaded, in any tab. */
const turns = createExternalStore(0);
const forget = () => {
  list = null;
  opened.clear();
  turns.publish(turns.snapshot() + 1);
};
onPerson(forget);
if (typeof window !== "undefined") onOtherTab(forget);

/**
 * Returns a different key for each user of the page, so that components showing articles start afresh for the
 * next one.
 */
export const usePersonKey = () => useSyncExternalStore(turns.subscribe, turns.snapshot, () => 0);

/** Returns an article by name, or null for an unknown name. The list of articles is read once. */
export async function loadArticle(slug: string): Promise<ArticleOffer | null> {
  list ??= chatSession.request<Articles>("/api/demo/articles").then(({ articles }) => articles);
  try {
    return (await list).find((article) => article.slug === slug) ?? null;
  } catch (error) {
    list = null;
    throw error;
  }
}

type Bought = Paid & { paidAt?: string };

const keyOf = (slug: string) => PERSONAL + slug;

/**
 * Returns this browser's purchase of an article, made in any tab or on the plain payment page, so that a
 * return visit costs nothing.
 */
function readBought(slug: string): Bought | null {
  const kept = [readKept(keyOf(slug)) as Bought | null, readFromPlainPage(slug)];
  return kept.find((bought) => bought && textIn(bought) !== "") ?? null;
}

function textIn({ body }: Paid): string {
  const { body: text } = (body ?? {}) as { body?: unknown };
  return typeof text === "string" ? text : "";
}

/** Returns the keys under which the plain payment page at the article's address stores receipt and text. */
const plainKeysOf = (slug: string) =>
  ["x402-receipt:", "x402-content:"].map((prefix) => `${prefix}/api/demo/articles/${slug}`) as [
    string,
    string,
  ];

const keysOf = (slug: string) => [keyOf(slug), ...plainKeysOf(slug)];

function readFromPlainPage(slug: string): Bought | null {
  const [receiptKey, contentKey] = plainKeysOf(slug);
  const receipt = readKept(receiptKey) as (Receipt & { paidAt: string | null }) | null;
  const content = readKept(contentKey) as { text: string } | null;
  if (!receipt || !content) return null;
  try {
    const body: unknown = JSON.parse(content.text);
    const paidAt = receipt.paidAt && new Date(receipt.paidAt).toISOString();
    return { body, receipt, flow: [], ...(paidAt && { paidAt }) };
  } catch {
    return null;
  }
}

/** Functions of a component that shows an article, called before and after it opens. */
type Reader = { slug: string; onOpening: () => void; onOpened: () => void };
const readers = new Set<Reader>();

function keepBought(slug: string, paid: Paid): void {
  const bought: Bought = { ...paid, paidAt: new Date().toISOString() };
  keepText(keyOf(slug), JSON.stringify(bought));
  changes += 1;
  purchases.tell();
  reveal(slug, paid);
}

function reveal(slug: string, paid: Paid): void {
  const touched = [...readers].filter((reader) => reader.slug === slug);
  for (const { onOpening } of touched) onOpening();
  opened.set(slug, paid);
  for (const { onOpened } of touched) onOpened();
}

/**
 * An article as a subject of payment. A purchase that no component shows is stored, and opens the next time
 * the article is shown.
 */
export const articleSubject = ({ slug, title }: Pick<ArticleOffer, "slug" | "title">): Subject => ({
  title,
  order: (amount, payee) => strings.order.article(amount, payee, title),
  keep: (paid) => keepBought(slug, paid),
  done: () => strings.left.opened(title),
  address: () => ([...readers].some((reader) => reader.slug === slug) ? null : `/articles/${slug}`),
});

const never = () => () => {};
const none: ArticlePictures = {};

/** Returns whether the page runs in a browser: the server that renders pages does not know its storage. */
function useIsClient(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

const purchases = createListeners();
/** Number of changes to this browser's purchases since the page was opened. */
let changes = 0;

/** Calls back after each purchase on this page or in another tab. Call the returned function to stop. */
function onPurchase(told: () => void): () => void {
  const onStorage = () => {
    changes += 1;
    told();
  };
  const leave = purchases.subscribe(told);
  window.addEventListener("storage", onStorage);
  return () => {
    leave();
    window.removeEventListener("storage", onStorage);
  };
}

/**
 * Returns receipts, by name, for the articles that the signed-in account has bought or, without one, this
 * browser.
 */
export function useReceipts(articles: readonly ArticleOffer[]): ReadonlyMap<string, KeptReceipt> {
  const seen = useSyncExternalStore(
    onPurchase,
    () => changes,
    () => null,
  );
  return useMemo(() => {
    const receipts = articles.flatMap(({ slug, receipt }) => {
      const bought = seen !== null && !receipt ? readBought(slug) : null;
      const kept = receipt ?? (bought && { ...bought.receipt, paidAt: bought.paidAt ?? "" });
      return kept ? [[slug, kept] as const] : [];
    });
    return new Map(receipts);
  }, [articles, seen]);
}

/**
 * Returns the state of an article for this browser and account: null until it is paid for, fresh if it was
 * just paid for here. `take` stores a purchase. `onOpening` runs before the article opens. An article that
 * the account bought elsewhere, as `receipt` shows, is fetched for free.
 */
export function useArticle(slug: string, receipt?: Receipt, onOpening: () => void = () => {}) {
  const isClient = useIsClient();
  const [isFresh, setIsFresh] = useState(false);
  const [kept] = useState(() => (typeof window === "undefined" ? null : readBought(slug)));
  const open = useEffectEvent(onOpening);
  const subscribe = useCallback(
    (onOpened: () => void) => {
      const reader = { slug, onOpening: () => open(), onOpened };
      readers.add(reader);
      // A purchase in another tab opens here too, so that no one pays twice.
      const onStorage = ({ key }: StorageEvent) => {
        const bought = key !== null && keysOf(slug).includes(key) ? readBought(slug) : null;
        if (bought && !opened.has(slug)) reveal(slug, bought);
      };
      window.addEventListener("storage", onStorage);
      return () => {
        readers.delete(reader);
        window.removeEventListener("storage", onStorage);
      };
    },
    [slug],
  );
  const fresh = useSyncExternalStore(
    subscribe,
    () => opened.get(slug) ?? null,
    () => null,
  );
  const here = fresh ?? (isClient ? kept : null);
  const elsewhere = useLoaded(here === null && receipt ? slug : null, (signal) =>
    chatSession.request<Article>(`/api/demo/articles/${slug}`, { signal }),
  );
  const paid = here ?? (elsewhere.data && receipt ? { body: elsewhere.data, receipt, flow: [] } : null);
  const take = (bought: Paid) => {
    setIsFresh(true);
    keepBought(slug, bought);
  };
  const { pictures = none } = (paid?.body ?? {}) as { pictures?: ArticlePictures };
  return {
    paid,
    isFresh,
    /** True if the account owns the article, but this page does not have it yet. */
    isAwaited: paid === null && receipt !== undefined,
    error: elsewhere.error,
    retry: elsewhere.reload,
    text: paid ? textIn(paid) : "",
    pictures,
    take,
  };
}
