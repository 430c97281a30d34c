import { inLocale, timesIn } from "../../_ui/language.ts";

export const clockTime = timesIn({ hour: "numeric", minute: "2-digit" });
export const exactTime = timesIn({ dateStyle: "full", timeStyle: "medium" });
export const longDate = timesIn({ year: "numeric", month: "long", day: "numeric" });
const dateOfThisYear = timesIn({ weekday: "long", month: "long", day: "numeric" });
const near = inLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));
const DAY_MS = 86_400_000;

const midnightOf = (time: number) => new Date(time).setHours(0, 0, 0, 0);

export const isToday = (time: number) => midnightOf(time) === midnightOf(Date.now());

const steps = [
  ["year", 365 * DAY_MS],
  ["month", 30 * DAY_MS],
  ["day", DAY_MS],
  ["hour", DAY_MS / 24],
  ["minute", DAY_MS / 1440],
] as const;

/** Returns how long ago a time is, such as "3 hours ago". */
export function agoOf(time: number): string {
  const passed = Math.max(0, Date.now() - time);
  const [unit, length] = steps.find(([, least]) => passed >= least) ?? ["second", 1_000];
  return near().format(-Math.floor(passed / length), unit);
}

/** Returns the milliseconds until a time, or 0 once it has passed. */
export const untilTime = (time: number): number => Math.max(0, time - Date.now());

/** Returns "Today", "Yesterday" or the date, capitalized for the beginning of a line. */
export function dayName(time: number): string {
  const name = dayInSentence(time);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns the name of the day for use within a sentence. */
export function dayInSentence(time: number): string {
  const now = Date.now();
  const days = Math.round((midnightOf(time) - midnightOf(now)) / DAY_MS);
  if (days === 0 || days === -1) return near().format(days, "day");
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dateOfThisYear : longDate)(time);
}
