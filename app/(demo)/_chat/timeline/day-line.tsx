import { dayName } from "../data/times.ts";

/** The line between two days. */
export function DayLine({ time }: { time: number }) {
  return (
    <div className="flex items-center gap-3 px-4 pt-5 pb-2 text-xs font-medium text-ink-soft">
      <span aria-hidden className="h-px grow bg-line" />
      <time dateTime={new Date(time).toISOString()}>{dayName(time, Date.now())}</time>
      <span aria-hidden className="h-px grow bg-line" />
    </div>
  );
}
