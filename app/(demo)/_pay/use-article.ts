"use client";

import { useState, useSyncExternalStore } from "react";
import { keepBought, readBought } from "./bought.ts";
import type { Paid } from "./use-payment.ts";

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
