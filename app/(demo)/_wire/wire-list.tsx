"use client";

import { ArrowDown, ArrowUp, ChevronRight } from "lucide-react";
import { memo, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { CodeBlock, StepHeaders, StepSummary } from "./flow-step-view.tsx";
import { strings } from "./strings.en.ts";
import { showFrame } from "./wire-entries.ts";
import type { WireEntry } from "./wire-log.ts";

const NEAR_END_PX = 24;

/** The entries, newest last; whoever reads the end keeps seeing it. */
export function WireList({ entries }: { entries: readonly WireEntry[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const showEnd = () => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  const lastId = entries.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last entry is what to follow
  useLayoutEffect(() => {
    if (isAtEnd) showEnd();
  }, [lastId]);
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={scroller}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setIsAtEnd(scrollHeight - scrollTop - clientHeight < NEAR_END_PX)
        }
        className="h-full overflow-y-auto overscroll-contain"
      >
        <ol aria-label={strings.list}>
          {entries.map((entry) => (
            <WireRow key={entry.id} entry={entry} />
          ))}
        </ol>
      </div>
      {!isAtEnd && (
        <Button size="small" onClick={showEnd} className="absolute right-4 bottom-3 shadow-lift">
          <ArrowDown aria-hidden size={14} />
          {strings.newest}
        </Button>
      )}
    </div>
  );
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

type Frame = Extract<WireEntry, { kind: "frame" }>;

function FrameSummary({ frame: { direction, name, seq, text } }: { frame: Frame }) {
  const Arrow = direction === "in" ? ArrowDown : ArrowUp;
  return (
    <>
      <Arrow aria-hidden size={15} className={direction === "in" ? "text-good" : "text-ink-soft"} />
      <span className="sr-only">{direction === "in" ? strings.received : strings.sent}</span>
      <span className="min-w-0 font-mono font-semibold break-all">{name}</span>
      {seq !== null && <span className="text-xs text-ink-soft tabular-nums">{strings.seq(seq)}</span>}
      <span className="ml-auto text-xs text-ink-soft tabular-nums">
        {strings.size(new TextEncoder().encode(text).length)}
      </span>
    </>
  );
}

/** A call or a frame in one line; opened, with its headers or its content. */
const WireRow = memo(function WireRow({ entry }: { entry: WireEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="w-full px-3 py-2 text-left text-sm -outline-offset-2 hover:bg-sunken"
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <ChevronRight
            aria-hidden
            size={14}
            className={`shrink-0 text-ink-faint ${isOpen ? "rotate-90" : ""}`}
          />
          {entry.kind === "frame" ? <FrameSummary frame={entry} /> : <StepSummary step={entry.step} />}
        </span>
        <span className="mt-0.5 flex items-baseline gap-2 pl-5.5 text-xs text-ink-soft">
          <span className="min-w-0 font-mono break-all">
            {entry.kind === "http" ? entry.step.url : "/api/chat/websocket"}
          </span>
          <time dateTime={new Date(entry.at).toISOString()} className="ml-auto shrink-0 tabular-nums">
            {clock.format(entry.at)}
          </time>
        </span>
      </button>
      {isOpen && (
        <div className="px-3 pb-3 pl-8.5">
          {entry.kind === "frame" ? (
            <CodeBlock text={showFrame(entry.text)} />
          ) : (
            <StepHeaders headers={entry.step.headers} />
          )}
        </div>
      )}
    </li>
  );
});
