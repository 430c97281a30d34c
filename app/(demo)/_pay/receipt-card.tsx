"use client";

import { ExternalLink, ReceiptText } from "lucide-react";
import Link from "next/link";
import { type RefObject, useEffect } from "react";
import { chainIdOf, MAINNET_CHAIN_ID } from "../../../lib/chains.ts";
import { CopyText } from "../_ui/copy-button.tsx";
import { strings } from "./strings.en.ts";

/** The amount and payer of a payment, and a link to its public record, in one line. */
export function ReceiptCard({ receipt }: { receipt: Receipt }) {
  const { payer, amount, txId, blockNum } = receipt;
  const link = explorerLink(receipt);
  return (
    <section
      aria-label={strings.receipt.title}
      className="flex flex-wrap items-center gap-x-4 rounded-xl border border-good/40 bg-good-wash px-3 py-1 text-sm"
    >
      <p className="flex items-center gap-2 py-1 font-semibold tabular-nums [overflow-wrap:anywhere]">
        <ReceiptText aria-hidden size={16} className="shrink-0 text-good" />
        {strings.receipt.paid(amount, payer)}
      </p>
      <p className="text-ink-soft">
        {strings.receipt.block} <span className="tabular-nums">{blockNum ?? "–"}</span>
      </p>
      <div className="flex max-w-56 min-w-0 items-center gap-1 text-ink-soft">
        <span className="sr-only">{strings.receipt.transaction}</span>
        <CopyText isShort text={txId} label={strings.receipt.copy} copied={strings.receipt.copied} />
      </div>
      {link && (
        <a
          href={link}
          target="_blank"
          rel="noreferrer noopener"
          className="flex items-center gap-1 py-1 underline pointer-coarse:py-3"
        >
          {strings.receipt.explorer}
          <ExternalLink aria-hidden size={14} />
        </a>
      )}
      <Link
        href={`/payments?account=${payer}`}
        prefetch={false}
        className="py-1 underline pointer-coarse:py-3"
      >
        {strings.receipt.payments}
      </Link>
    </section>
  );
}

/** A payer's proof of payment. */
export type Receipt = {
  payer: string;
  txId: string;
  blockNum: number | null;
  network: string;
  /** The amount, for example "0.050 HBD". */
  amount: string;
};

/**
 * Returns the transaction's address in a public block explorer, or null on chains other than the main one,
 * which no explorer covers.
 */
export function explorerLink({ network, txId }: Receipt): string | null {
  const isMain = chainIdOf(network) === MAINNET_CHAIN_ID;
  return isMain && /^[0-9a-f]{40}$/.test(txId) ? `https://hivehub.dev/tx/${txId}` : null;
}

/** Moves the focus to a new purchase, because the button that bought it is gone. */
export function useFocusWhenPaid(bought: RefObject<HTMLElement | null>, isFresh: boolean) {
  useEffect(() => {
    if (!isFresh) return;
    // The dialog first returns the focus to the button.
    const timer = setTimeout(() => bought.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, [bought, isFresh]);
}
