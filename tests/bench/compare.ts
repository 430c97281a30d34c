import type { Subject } from "./children.ts";
import type { LoadWatch } from "./machine-load.ts";
import { say } from "./report.ts";
import { spreadOf } from "./spread.ts";

/**
 * A server's results in one round: answers or frames per second, processor time for each in microseconds and,
 * if they are timed one by one, the median and the 99th percentile.
 */
export type Measured = { perSecond: number; cpuUs: number; p50Ms?: number; p99Ms?: number };

export type Row = {
  what: string;
  subject: string;
  median: number;
  min: number;
  max: number;
  cpuUs: number;
  cpuMin: number;
  cpuMax: number;
  p50Ms?: number;
  p99Ms?: number;
  /** The median rate, the processor time and the 99th percentile, as multiples of the base's. */
  ratio: number;
  cpuRatio: number;
  p99Ratio?: number;
};

const rounded = (value: number) => Math.round(value * 100) / 100;

/**
 * Measures each subject in turn for this many rounds, after an uncounted warm-up round. Ratios are relative
 * to the first of the `bases` that is among the subjects.
 */
export async function compare<S extends Pick<Subject, "name">>(
  what: string,
  subjects: readonly S[],
  measure: (subject: S) => Promise<Measured>,
  { rounds, watch, bases }: { rounds: number; watch: LoadWatch; bases: readonly string[] },
): Promise<Row[]> {
  say(`${what}: warming up ${subjects.map(({ name }) => name).join(", ")}`);
  for (const subject of subjects) await measure(subject);
  const samples = new Map(subjects.map(({ name }) => [name, [] as Measured[]]));
  for (let round = 1; round <= rounds; round++) {
    const told: string[] = [];
    watch.begin();
    for (const subject of subjects) {
      const measured = await measure(subject);
      samples.get(subject.name)?.push(measured);
      told.push(`${subject.name} ${Math.round(measured.perSecond).toLocaleString("en")}/s`);
    }
    say(`${what}: round ${round} of ${rounds}: ${told.join(", ")}; others used ${watch.end()}`);
  }
  const rows = [...samples].map(([subject, taken]) => {
    const rate = spreadOf(taken.map(({ perSecond }) => perSecond));
    const cpu = spreadOf(taken.map(({ cpuUs }) => cpuUs));
    const medianOf = (times: readonly (number | undefined)[]) => {
      const known = times.filter((time) => time !== undefined);
      return known.length > 0 ? rounded(spreadOf(known).median) : undefined;
    };
    const p50Ms = medianOf(taken.map((one) => one.p50Ms));
    const p99Ms = medianOf(taken.map((one) => one.p99Ms));
    return {
      ...{ what, subject, median: rounded(rate.median), min: rounded(rate.min), max: rounded(rate.max) },
      ...{ cpuUs: rounded(cpu.median), cpuMin: rounded(cpu.min), cpuMax: rounded(cpu.max) },
      ...(p50Ms !== undefined && { p50Ms }),
      ...(p99Ms !== undefined && { p99Ms }),
    };
  });
  const base = bases.map((name) => rows.find(({ subject }) => subject === name)).find((row) => row);
  return rows.map((row) => ({
    ...row,
    ratio: rounded(row.median / (base?.median || 1)),
    cpuRatio: rounded(row.cpuUs / (base?.cpuUs || 1)),
    ...(row.p99Ms !== undefined && { p99Ratio: rounded(row.p99Ms / (base?.p99Ms || 1)) }),
  }));
}

/** Growth beyond this share of the earlier cost is a regression. Rounds on a quiet machine differ by less. */
const TOLERATED = 0.15;

/**
 * Names the rows that cost more than before. It only compares processor time relative to the base of the same
 * run, which hardly depends on the machine or its load.
 */
export function findRegressions(earlier: readonly Row[], rows: readonly Row[]): string[] {
  return rows.flatMap(({ what, subject, cpuRatio }) => {
    const before = earlier.find((row) => row.what === what && row.subject === subject);
    if (!before || !subject.startsWith("hivegate") || cpuRatio <= before.cpuRatio * (1 + TOLERATED))
      return [];
    const percent = Math.round((cpuRatio / before.cpuRatio - 1) * 100);
    return [
      `${what}, ${subject}: ${cpuRatio} of its base's processor time, ${percent} % more than ${before.cpuRatio}`,
    ];
  });
}
