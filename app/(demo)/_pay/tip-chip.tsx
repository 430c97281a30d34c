"use client";

import { Coins } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { strings } from "./strings.en.ts";
import { sharedTipCounts } from "./tip-counts.ts";

/** How often and how much a message was tipped; nothing where it was not. */
export function TipChip({ postId }: { postId: string }) {
  const tips = useSyncExternalStore(
    sharedTipCounts.subscribe,
    () => sharedTipCounts.get(postId),
    () => null,
  );
  useEffect(() => sharedTipCounts.want(postId), [postId]);
  if (!tips) return null;
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
