"use client";

import { Coins } from "lucide-react";
import type { TipSum } from "../../../lib/chat-client/index.ts";
import { strings } from "./strings.en.ts";

/** How often and how much a message was tipped. */
export function TipChip({ tips }: { tips: TipSum }) {
  const label = strings.tip.chip(tips.count, tips.total);
  return (
    <span
      title={label}
      className="inline-flex h-7 items-center gap-1.5 rounded-full border border-line bg-sunken px-2.5 text-xs font-medium text-ink tabular-nums"
    >
      <Coins aria-hidden size={13} />
      <span className="sr-only">{label}</span>
      <span aria-hidden>
        {tips.count} · {tips.total}
      </span>
    </span>
  );
}
