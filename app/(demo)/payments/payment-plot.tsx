import { writeAmount } from "../_pay/amounts.ts";
import { messages } from "./messages.en.ts";
import type { Day } from "./payment-series.ts";

const WIDTH = 560;
const HEIGHT = 160;
const BASE = 132;

/** Paid and earned amounts as a pair of bars for each day. */
export function PaymentPlot({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.flatMap(({ paid, earned }) => [paid, earned]));
  const slot = WIDTH / days.length;
  const heightOf = (millis: number) => (millis === 0 ? 0 : Math.max(2, (millis / most) * (BASE - 22)));
  const sums = days.reduce((all, day) => ({ paid: all.paid + day.paid, earned: all.earned + day.earned }), {
    paid: 0,
    earned: 0,
  });
  const first = days[0]?.date ?? "";
  const last = days.at(-1)?.date ?? "";
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={messages.plotLabel(writeAmount(sums.paid), writeAmount(sums.earned), days.length)}
      className="w-full"
    >
      <line x1="0" x2={WIDTH} y1={BASE} y2={BASE} stroke="var(--line-strong)" />
      <line x1="0" x2={WIDTH} y1="22" y2="22" stroke="var(--line)" strokeDasharray="3 4" />
      <text x="0" y="14" fontSize="13" fill="var(--ink-soft)">
        {writeAmount(most)} HBD
      </text>
      {days.map(({ date, paid, earned }, index) => {
        const left = index * slot + slot * 0.16;
        const width = slot * 0.32;
        return (
          <g key={date}>
            <rect
              x={left}
              width={width}
              y={BASE - heightOf(paid)}
              height={heightOf(paid)}
              rx="2"
              fill="var(--accent)"
            />
            <rect
              x={left + width + 2}
              width={width}
              y={BASE - heightOf(earned)}
              height={heightOf(earned)}
              rx="2"
              fill="var(--good)"
            />
          </g>
        );
      })}
      <text x="0" y={HEIGHT - 6} fontSize="13" fill="var(--ink-soft)">
        {first}
      </text>
      <text x={WIDTH} y={HEIGHT - 6} fontSize="13" textAnchor="end" fill="var(--ink-soft)">
        {last}
      </text>
    </svg>
  );
}
