const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const thisYear = new Intl.DateTimeFormat("en", { weekday: "long", month: "long", day: "numeric" });
const otherYear = new Intl.DateTimeFormat("en", { year: "numeric", month: "long", day: "numeric" });
const near = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const DAY_MS = 86_400_000;

const midnightOf = (time: number) => new Date(time).setHours(0, 0, 0, 0);

export const clockTime = (time: number) => clock.format(time);
export const exactTime = (time: number) => exact.format(time);
export const longDate = (time: number) => otherYear.format(time);

export const isToday = (time: number) => midnightOf(time) === midnightOf(Date.now());

/** "Today", "Yesterday" or the date. */
export function dayName(time: number): string {
  const now = Date.now();
  const days = Math.round((midnightOf(time) - midnightOf(now)) / DAY_MS);
  if (days === 0 || days === -1) {
    const name = near.format(days, "day");
    return name.charAt(0).toUpperCase() + name.slice(1);
  }
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? thisYear : otherYear).format(time);
}
