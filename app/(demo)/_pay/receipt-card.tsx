"use client";

import { Check, Copy, ExternalLink, ReceiptText } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { IconButton } from "../_ui/icon-button.tsx";
import { explorerLink, type Receipt } from "./receipt.ts";
import { strings } from "./strings.en.ts";

/** What was paid, by whom, and where anybody can look it up. */
export function ReceiptCard({ receipt }: { receipt: Receipt }) {
  const [isCopied, setIsCopied] = useState(false);
  const { payer, amount, txId, blockNum } = receipt;
  const link = explorerLink(receipt);
  const copy = () =>
    navigator.clipboard.writeText(txId).then(
      () => setIsCopied(true),
      () => undefined,
    );
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
          <dd className="flex items-center gap-1">
            <span className="min-w-0 font-mono text-xs break-all">{txId}</span>
            <IconButton label={isCopied ? strings.receipt.copied : strings.receipt.copy} onClick={copy}>
              {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
            </IconButton>
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
      <span role="status" className="sr-only">
        {isCopied ? strings.receipt.copied : ""}
      </span>
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
