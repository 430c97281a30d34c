"use client";

import { readHbd } from "./amounts.ts";
import { loadHistory } from "./load-history.ts";
import { strings } from "./strings.en.ts";
import { useLoaded } from "./use-loaded.ts";

const accountName = /^[a-z][a-z0-9.-]{2,15}$/;

/** What the payer has, by the chain's word; nothing is shown where it can't be read. */
export function BalanceHint({ account, amount }: { account: string; amount: string }) {
  const { data } = useLoaded(accountName.test(account) ? account : null, (signal) =>
    loadHistory(account, signal),
  );
  const isShort = data !== null && (readHbd(data.balance) ?? 0) < (readHbd(amount) ?? 0);
  const write = isShort ? strings.payer.tooLittle : strings.payer.balance;
  return (
    <p role="status" className={`min-h-5 text-sm ${isShort ? "text-danger" : "text-ink-soft"}`}>
      {data && write(account, data.balance)}
    </p>
  );
}
