import { clsx } from "clsx";
import type { Payment } from "../../../lib/contract/payment-answers.ts";
import {
  addMils,
  formatMils,
  greatestMils,
  type Mils,
  NO_MILS,
  parseMils,
  toMils,
} from "../../../lib/mils.ts";
import { writeAmount } from "../_pay/amounts.ts";
import { momentOf, timesIn } from "../_ui/language.ts";
import { strings } from "./strings.en.ts";

/** The bars are UTC days, as on the chain; the reader's time zone would shift them. */
const dayIn = timesIn({ day: "numeric", month: "short", timeZone: "UTC" });
const WIDTH = 560;
const HEIGHT = 160;

/** Paid and earned amounts as a pair of bars for each day. */
export function PaymentPlot({ days }: { days: readonly Day[] }) {
  const most = days.flatMap(({ paid, earned }) => [paid, earned]).reduce(greatestMils, toMils(1));
  const slot = WIDTH / days.length;
  const heightOf = (mils: Mils) => (mils === 0 ? 0 : Math.max(2, (mils / most) * HEIGHT));
  const paid = addMils(...days.map((day) => day.paid));
  const earned = addMils(...days.map((day) => day.earned));
  const ends = [days[0], days.at(-1)].flatMap((end) => end ?? []);
  return (
    <figure className="text-xs text-ink-soft tabular-nums">
      <p>{formatMils(most)}</p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={strings.plotLabel(writeAmount(paid), writeAmount(earned), days.length)}
        className="mt-1 h-36 w-full border-t border-b border-t-line border-b-line-strong border-dashed [border-bottom-style:solid]"
      >
        {days.map(({ date, paid, earned }, index) => {
          const left = index * slot + slot * 0.16;
          const width = slot * 0.32;
          return (
            <g key={date}>
              <rect
                x={left}
                width={width}
                y={HEIGHT - heightOf(paid)}
                height={heightOf(paid)}
                fill="var(--link)"
              />
              <rect
                x={left + width + 2}
                width={width}
                y={HEIGHT - heightOf(earned)}
                height={heightOf(earned)}
                fill="var(--good)"
              />
            </g>
          );
        })}
      </svg>
      <figcaption className="mt-1.5 flex justify-between">
        {ends.map(({ date }) => (
          <time key={date} dateTime={date}>
            {dayIn(new Date(date))}
          </time>
        ))}
      </figcaption>
    </figure>
  );
}

/** One day (UTC) of payments. */
type Day = { date: string; paid: Mils; earned: Mils };

const DAY_MS = 86_400_000;

/**
 * Returns the sums of the last `days` days up to the day of `nowMs`, oldest first. Days without payments are
 * zero.
 */
export function sumByDay(payments: readonly Payment[], days: number, nowMs: number): Day[] {
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const series = Array.from(
    { length: days },
    (_, index): Day => ({
      date: dateOf(nowMs - (days - 1 - index) * DAY_MS),
      paid: NO_MILS,
      earned: NO_MILS,
    }),
  );
  const byDate = new Map(series.map((day) => [day.date, day]));
  for (const { time, amount, direction, refundOf } of payments) {
    const day = refundOf === undefined ? byDate.get(time.slice(0, 10)) : undefined;
    if (day) day[direction] = addMils(day[direction], parseMils(amount) ?? NO_MILS);
  }
  return series;
}

/** Returns the totals paid, earned and refunded. A refund counts as neither paid nor earned. */
export function sumAll(payments: readonly Payment[]): { paid: Mils; earned: Mils; refunded: Mils } {
  const kindOf = ({ refundOf, direction }: Payment) => (refundOf === undefined ? direction : "refunded");
  const sumOf = (wanted: ReturnType<typeof kindOf>) =>
    addMils(
      ...payments.flatMap((payment) => (kindOf(payment) === wanted ? (parseMils(payment.amount) ?? []) : [])),
    );
  return { paid: sumOf("paid"), earned: sumOf("earned"), refunded: sumOf("refunded") };
}

/** The individual payments, newest first. */
export function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  const { columns } = strings;
  return (
    <div className="overflow-x-auto rounded-2xl border border-line bg-surface">
      <table className="w-full text-sm">
        <thead className="border-b border-line text-xs text-ink-soft">
          <tr>
            <Head>{columns.time}</Head>
            <Head>{columns.with}</Head>
            <Head isNumber>{columns.amount}</Head>
            <Head className="hidden sm:table-cell">{columns.block}</Head>
            <Head className="hidden sm:table-cell">{columns.transaction}</Head>
          </tr>
        </thead>
        <tbody>
          {payments.map(({ txId, time: at, direction, from, to, amount, blockNum, ...about }) => (
            <tr key={txId} className="border-b border-line last:border-0">
              <td className="px-3 py-2.5 sm:px-4">
                <time dateTime={at}>{momentOf(new Date(at))}</time>
              </td>
              <td className="px-3 py-2.5 font-medium sm:px-4">
                <span>{direction === "paid" ? strings.to(to) : strings.from(from)}</span>
                <RefundNote {...about} />
              </td>
              <td
                className={clsx(
                  "px-3 py-2.5 text-end whitespace-nowrap tabular-nums sm:px-4",
                  direction === "earned" && "text-good",
                )}
              >
                {direction === "earned" ? "+" : "−"}
                {amount.replace(" HBD", "")}
              </td>
              <td className="hidden px-4 py-2.5 tabular-nums sm:table-cell">{blockNum}</td>
              <td className="hidden px-4 py-2.5 font-mono text-xs sm:table-cell" title={txId}>
                {txId.slice(0, 12)}…
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row's relation to a refund, and the refund's reason. */
function RefundNote({ refundOf, refundedBy, reason }: Pick<Payment, "refundOf" | "refundedBy" | "reason">) {
  if (refundOf === undefined && refundedBy === undefined) return null;
  return (
    <span className="block text-xs font-normal text-ink-soft wrap-anywhere">
      {refundOf === undefined ? strings.refunded : strings.refund(reason)}
    </span>
  );
}

/** A column heading, aligned with the start of texts or the end of numbers. */
function Head({
  isNumber = false,
  className,
  children,
}: {
  isNumber?: boolean;
  className?: string;
  children: string;
}) {
  const side = isNumber ? "text-end" : "text-start";
  return (
    <th scope="col" className={clsx("px-3 py-2.5 font-medium sm:px-4", side, className)}>
      {children}
    </th>
  );
}
