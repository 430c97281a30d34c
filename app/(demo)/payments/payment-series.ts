import { readHbd } from "../_pay/amounts.ts";
import type { Payment } from "../_pay/load-history.ts";

/** One day (UTC) of payments, in 1/1000 HBD. */
export type Day = { date: string; paid: number; earned: number };

const DAY_MS = 86_400_000;

/** The sums of the last `days` days up to the day of `nowMs`, the oldest first; days without payments are zero. */
export function sumByDay(payments: readonly Payment[], days: number, nowMs: number): Day[] {
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const series = Array.from(
    { length: days },
    (_, index): Day => ({
      date: dateOf(nowMs - (days - 1 - index) * DAY_MS),
      paid: 0,
      earned: 0,
    }),
  );
  const byDate = new Map(series.map((day) => [day.date, day]));
  for (const { time, amount, direction } of payments) {
    const day = byDate.get(time.slice(0, 10));
    if (day) day[direction] += readHbd(amount) ?? 0;
  }
  return series;
}

/** All that was paid and earned, in 1/1000 HBD. */
export function sumAll(payments: readonly Payment[]): Pick<Day, "paid" | "earned"> {
  const sums = { paid: 0, earned: 0 };
  for (const { amount, direction } of payments) sums[direction] += readHbd(amount) ?? 0;
  return sums;
}
