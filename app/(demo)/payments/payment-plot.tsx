import { writeAmount } from "../_pay/amounts.ts";
import type { Day } from "./payment-series.ts";
import { strings } from "./strings.en.ts";

/** The bars are days of UTC, as the chain counts; the reader's own zone would move them. */
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const WIDTH = 560;
const HEIGHT = 160;

/** Paid and earned amounts as a pair of bars for each day. */
export function PaymentPlot({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.flatMap(({ paid, earned }) => [paid, earned]));
  const slot = WIDTH / days.length;
  const heightOf = (millis: number) => (millis === 0 ? 0 : Math.max(2, (millis / most) * HEIGHT));
  const sums = days.reduce((all, day) => ({ paid: all.paid + day.paid, earned: all.earned + day.earned }), {
    paid: 0,
    earned: 0,
  });
  const ends = [days[0], days.at(-1)].flatMap((end) => end ?? []);
  return (
    <figure className="text-xs text-ink-soft tabular-nums">
      <p>{writeAmount(most)} HBD</p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={strings.plotLabel(writeAmount(sums.paid), writeAmount(sums.earned), days.length)}
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
                fill="var(--accent)"
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
            {day.format(new Date(date))}
          </time>
        ))}
      </figcaption>
    </figure>
  );
}
