import { ArrowDown, ArrowUp } from "lucide-react";
import { messages } from "../messages.en.ts";

const look =
  "pointer-events-auto inline-flex h-9 items-center gap-2 rounded-full border border-line bg-raised px-4 text-sm font-medium text-ink shadow-lift hover:border-line-strong";

/** Ways to the first unseen message and to the newest, over the timeline's edges. */
export function JumpButtons({
  unseen,
  below,
  onNew,
  onLatest,
}: {
  /** How many were unread at the opening, or 0 when their beginning has been seen. */
  unseen: number;
  /** How many came since the end was in view; null while it is. */
  below: number | null;
  onNew: () => void;
  onLatest: () => void;
}) {
  return (
    <>
      {unseen > 0 && (
        <div className="pointer-events-none absolute inset-x-0 top-3 z-10 flex justify-center">
          <button type="button" className={look} onClick={onNew}>
            <ArrowUp aria-hidden size={16} />
            {messages.timeline.jumpToNew(unseen)}
          </button>
        </div>
      )}
      {below !== null && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 z-10 flex justify-center">
          <button type="button" className={look} onClick={onLatest}>
            <ArrowDown aria-hidden size={16} />
            {below > 0 ? messages.timeline.latestWith(below) : messages.timeline.jumpToLatest}
          </button>
        </div>
      )}
    </>
  );
}
