"use client";

import { ArrowDown } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { strings } from "./strings.en.ts";
import type { WireEntry } from "./wire-log.ts";
import { WireRow } from "./wire-row.tsx";

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
