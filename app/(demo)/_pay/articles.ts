"use client";

import { useState, useSyncExternalStore } from "react";
import { gateway } from "../_session/gateway.ts";
import { readTab, writeTab } from "./tab-storage.ts";
import type { Paid } from "./use-payment.ts";

export type ArticleOffer = { slug: string; title: string; price: string; teaser: string };

let list: Promise<ArticleOffer[]> | null = null;

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

const keyOf = (slug: string) => `hivegate.bought.${slug}`;

/** What this tab has paid for already, so that coming back costs nothing. */
function readBought(slug: string): Paid | null {
  try {
    return JSON.parse(readTab(keyOf(slug)) ?? "null") as Paid | null;
  } catch {
    return null;
  }
}

function keepBought(slug: string, paid: Paid): void {
  writeTab(keyOf(slug), JSON.stringify(paid));
}

const never = () => () => {};

/** An article as far as this tab has it: null until it is paid, fresh when that was just now; `take` keeps what was paid. */
export function useArticle(slug: string) {
  const isClient = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const [fresh, setFresh] = useState<Paid | null>(null);
  const [kept] = useState(() => (typeof window === "undefined" ? null : readBought(slug)));
  const paid = fresh ?? (isClient ? kept : null);
  const take = (bought: Paid) => {
    keepBought(slug, bought);
    setFresh(bought);
  };
  const body = (paid?.body as { body?: unknown } | undefined)?.body;
  return { paid, isFresh: fresh !== null, text: typeof body === "string" ? body : "", take };
}
