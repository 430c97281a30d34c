"use client";

import { useEffect, useRef } from "react";
import { strings } from "../strings.en.ts";

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
    <div ref={line} className="flex items-center gap-3 px-4 pt-3 pb-1 text-xs font-semibold text-accent-text">
      <span aria-hidden className="h-px grow bg-accent" />
      {strings.timeline.newMessages}
      <span aria-hidden className="h-px grow bg-accent" />
    </div>
  );
}
