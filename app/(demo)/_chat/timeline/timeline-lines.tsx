"use client";

import { useEffect, useRef } from "react";
import { Button } from "../../_ui/button.tsx";
import { dayName } from "../data/times.ts";
import { strings } from "../strings.en.ts";

/** The line between two days. */
export function DayLine({ time }: { time: number }) {
  return (
    <div className="column flex items-center gap-3 pt-5 pb-2 text-xs font-medium text-ink-soft">
      <span aria-hidden className="h-px grow bg-line" />
      <time dateTime={new Date(time).toISOString()}>{dayName(time)}</time>
      <span aria-hidden className="h-px grow bg-line" />
    </div>
  );
}

/** The line above the first message that the reader has not seen; tells when it came into view. */
export function NewLine({ onSeen }: { onSeen: () => void }) {
  const line = useRef<HTMLDivElement>(null);
  const latest = useRef(onSeen);
  latest.current = onSeen;

  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) latest.current();
    });
    if (line.current) observer.observe(line.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={line} className="column flex items-center gap-3 pt-3 pb-1 text-xs font-semibold text-ink">
      <span aria-hidden className="h-px grow bg-line-strong" />
      {strings.timeline.newMessages}
      <span aria-hidden className="h-px grow bg-line-strong" />
    </div>
  );
}

/** Over an edge of the timeline: that its next page is on the way, or could not be had. */
export function PageNotice({
  loading,
  isLoading,
  isFailed,
  onRetry,
}: {
  loading: string;
  isLoading: boolean;
  isFailed: boolean;
  onRetry: () => void;
}) {
  if (!isFailed && !isLoading) return null;
  return (
    <div
      role="status"
      className="pointer-events-auto flex max-w-full items-center gap-3 rounded-full border border-line bg-raised py-1 pr-1 pl-4 text-sm text-ink-soft shadow-lift"
    >
      <p className="py-1 pr-3">{isFailed ? strings.timeline.pageFailed : loading}</p>
      {isFailed && (
        <Button size="small" className="shrink-0 rounded-full!" onClick={onRetry}>
          {strings.failed.retry}
        </Button>
      )}
    </div>
  );
}
