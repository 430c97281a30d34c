"use client";

import { useEffect, useState } from "react";
import { strings } from "./strings.en.ts";

const secondsTo = (end: number) => Math.max(0, Math.ceil((end - performance.now()) / 1000));

/** How long an offer still holds; `end` is in the milliseconds of `performance.now()`, and `onEnd` runs once at it. */
export function Countdown({ end, onEnd }: { end: number; onEnd: () => void }) {
  const [seconds, setSeconds] = useState(() => secondsTo(end));
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsTo(end)), 500);
    return () => clearInterval(timer);
  }, [end]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, however often the caller is rendered
  useEffect(() => {
    if (seconds === 0) onEnd();
  }, [seconds === 0]);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return <p className="mt-2 text-ink-soft tabular-nums">{strings.wallet.left(time)}</p>;
}
