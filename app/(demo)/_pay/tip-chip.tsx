"use client";

import { Coins } from "lucide-react";
import type { TipSum } from "../../../lib/contract/payment-answers.ts";
import { Avatar } from "../_ui/avatar.tsx";
import { loadClosable } from "../_ui/load-closable.tsx";
import { Opener } from "../_ui/opener.tsx";
import { strings } from "./strings.en.ts";

const load = () => import("../_ui/popups.tsx");
const Card = loadClosable(() => load().then((module) => module.Card));

const MOST_NAMES = 2;

/** The number and sum of a message's tips, and the latest tipper; opens the list of tips. */
export function TipChip({ tips: { count, total, tippers } }: { tips: TipSum }) {
  const label = strings.tip.chip(count, total);
  const names = [...new Set(tippers.map(({ payer }) => payer))];
  const others = names.length - MOST_NAMES;
  return (
    <Opener
      kind="dialog"
      load={load}
      part={(opened) => (
        <Card
          opened={opened}
          align="start"
          label={label}
          className="z-40 max-h-(--radix-popover-content-available-height) w-72 max-w-[calc(100vw-1rem)] overflow-y-auto p-4 text-sm"
        >
          <p className="font-semibold tabular-nums">{label}</p>
          <ul className="mt-2">
            {tippers.map(({ payer, amount }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: tips have no other mark, and new ones shift all of them
              <li key={index} className="flex min-h-9 items-center gap-3">
                <Avatar size="small" name={payer} />
                <span className="min-w-0 grow truncate">{payer}</span>
                <span className="shrink-0 text-ink-soft tabular-nums">{amount}</span>
              </li>
            ))}
          </ul>
          {count > tippers.length && (
            <p className="mt-1 text-xs text-ink-soft">{strings.tip.earlier(count - tippers.length)}</p>
          )}
        </Card>
      )}
    >
      <button
        type="button"
        title={label}
        className="inline-flex h-7 max-w-full items-center gap-1.5 rounded-full border border-line bg-sunken px-2.5 text-xs font-medium text-ink tabular-nums hover:border-line-strong pointer-coarse:h-11 pointer-coarse:px-3"
      >
        <Coins aria-hidden size={13} className="shrink-0" />
        <span className="sr-only">{label}</span>
        <span aria-hidden className="shrink-0">
          {count} · {total}
        </span>
        {names.length > 0 && (
          <span className="min-w-0 truncate font-normal text-ink-soft">
            <span>{names.slice(0, MOST_NAMES).join(", ")}</span>
            {others > 0 && <span> +{others}</span>}
          </span>
        )}
      </button>
    </Opener>
  );
}
