import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { wheelDistance } from "../list/list-handle.ts";
import { strings } from "../strings.en.ts";

const look =
  "pointer-events-auto inline-flex h-9 items-center gap-2 rounded-full border border-line bg-raised px-4 text-sm font-medium text-ink shadow-lift hover:border-line-strong pointer-coarse:h-10";

/** The way to the first unseen message; `count` of them were unread at the opening. */
export function JumpToNew({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <button type="button" className={look} onClick={onClick}>
      <ArrowUp aria-hidden size={16} />
      {strings.timeline.jumpToNew(count)}
    </button>
  );
}

/** The way to the newest message; `count` of them came since the end was in view. */
export function JumpToLatest({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <button type="button" className={look} onClick={onClick}>
      <ArrowDown aria-hidden size={16} />
      {count > 0 ? strings.timeline.latestWith(count) : strings.timeline.jumpToLatest}
    </button>
  );
}

type EdgeProps = {
  at: "top" | "bottom";
  /** Called with what a wheel that is turned over it would scroll, in pixels. */
  onWheel: (distance: number) => void;
  children: ReactNode;
};

/** What lies over an edge of the timeline; beside it the messages are still there for the mouse. */
export function Edge({ at, onWheel, children }: EdgeProps) {
  const place = at === "top" ? "top-3" : "bottom-3";
  return (
    <div
      onWheel={(event) => onWheel(wheelDistance(event))}
      className={`pointer-events-none absolute inset-x-0 z-10 flex flex-col items-center gap-2 px-3 ${place}`}
    >
      {children}
    </div>
  );
}
