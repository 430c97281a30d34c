"use client";

import { ExternalLink, ReceiptText } from "lucide-react";
import Link from "next/link";
import { useEffect, useRef } from "react";
import { CopyText } from "../_ui/copy-text.tsx";
import { strings } from "./strings.en.ts";

/** What was paid, by whom, and where anybody can look it up. */
export function ReceiptCard({ receipt }: { receipt: Receipt }) {
  const { payer, amount, txId, blockNum } = receipt;
  const link = explorerLink(receipt);
  return (
    <section
      aria-label={strings.receipt.title}
      className="rounded-2xl border border-good/40 bg-good-wash p-4 text-sm"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <ReceiptText aria-hidden size={17} className="text-good" />
        {strings.receipt.title}
      </h2>
      <dl className="mt-3 grid grid-cols-3 gap-3">
        <Row name={strings.receipt.payer}>@{payer}</Row>
        <Row name={strings.receipt.amount}>{amount}</Row>
        <Row name={strings.receipt.block}>{blockNum ?? "–"}</Row>
        <div className="col-span-3 min-w-0">
          <dt className="text-xs text-ink-soft">{strings.receipt.transaction}</dt>
          <dd>
            <CopyText text={txId} label={strings.receipt.copy} copied={strings.receipt.copied} />
          </dd>
        </div>
      </dl>
      <p className="mt-1 flex flex-wrap gap-4 font-medium">
        {link && (
          <a
            href={link}
            target="_blank"
            rel="noreferrer noopener"
            className="flex items-center gap-1 underline"
          >
            {strings.receipt.explorer}
            <ExternalLink aria-hidden size={14} />
          </a>
        )}
        <Link href={`/payments?account=${payer}`} prefetch={false} className="underline">
          {strings.receipt.payments}
        </Link>
      </p>
    </section>
  );
}

function Row({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="font-medium break-words tabular-nums">{children}</dd>
    </div>
  );
}

/** What a payer has in hand after paying. */
export type Receipt = {
  payer: string;
  txId: string;
  blockNum: number | null;
  network: string;
  /** Such as "0.050 HBD". */
  amount: string;
};

const mainnet = ["chain:mainnet", "hive:mainnet", "hive:beeab0de000000000000000000000000"];

/** The transaction in a public block explorer; null off the main chain, where none knows it. */
export function explorerLink({ network, txId }: Receipt): string | null {
  return mainnet.includes(network) && /^[0-9a-f]{40}$/.test(txId) ? `https://hivehub.dev/tx/${txId}` : null;
}

/** Names what was just bought; it gets the focus, since the button that it was bought with is gone. */
export function useFocusWhenPaid(isFresh: boolean) {
  const bought = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isFresh) return;
    // The window in which it was paid first gives the focus back to the button.
    const timer = setTimeout(() => bought.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, [isFresh]);
  return bought;
}
