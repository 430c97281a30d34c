import type { Subject } from "./children.ts";
import type { LoadWatch } from "./machine-load.ts";
import { say } from "./report.ts";
import type { Row } from "./results.ts";
import { type Spread, spreadOf } from "./spread.ts";

/**
 * A server's results in one round: answers, frames or websockets per second, processor time for each in
 * microseconds and, if they are timed one by one, the median and the 99th percentile. Where the server may refuse,
 * the share that it refused.
 */
export type Measured = {
  perSecond: number;
  cpuUs: number;
  p50Ms?: number;
  p99Ms?: number;
  refusedPercent?: number;
};

/**
 * Measures each subject in turn for this many rounds, after an uncounted warm-up round. Ratios are relative
 * to the first of the `bases` that is among the subjects, in the same round.
 */
export async function measureInTurn<S extends Pick<Subject, "name">>(
  what: string,
  subjects: readonly S[],
  measure: (subject: S) => Promise<Measured>,
  { rounds, watch, bases }: { rounds: number; watch: LoadWatch; bases: readonly string[] },
): Promise<Row[]> {
  say(`${what}: warming up ${subjects.map(({ name }) => name).join(", ")}`);
  for (const subject of subjects) await measure(subject);
  const samples = new Map(subjects.map(({ name }) => [name, [] as Measured[]]));
  for (let round = 1; round <= rounds; round++) {
    const said: string[] = [];
    watch.begin();
    for (const subject of subjects) {
      const measured = await measure(subject);
      samples.get(subject.name)?.push(measured);
      said.push(`${subject.name} ${Math.round(measured.perSecond).toLocaleString("en")}/s`);
    }
    say(`${what}: round ${round} of ${rounds}: ${said.join(", ")}; others used ${watch.end()}`);
  }
  const base = bases.map((name) => samples.get(name)).find((found) => found) ?? [];
  return [...samples].map(([subject, taken]) => rowOf(what, subject, taken, base));
}

function rowOf(what: string, subject: string, taken: readonly Measured[], base: readonly Measured[]): Row {
  const values = (key: keyof Measured) => taken.map((measured) => measured[key]);
  const ratios = (key: keyof Measured) =>
    taken.map((measured, round) => {
      const [value, atBase] = [measured[key], base[round]?.[key]];
      return value === undefined || atBase === undefined ? undefined : value / (atBase || 1);
    });
  const [p50Ms, p99Ms, p99Ratio, refusedPercent] = [
    values("p50Ms"),
    values("p99Ms"),
    ratios("p99Ms"),
    values("refusedPercent"),
  ].map(spreadIfMeasured);
  return {
    ...{ what, subject, perSecond: spread(values("perSecond")), cpuUs: spread(values("cpuUs")) },
    ...(p50Ms && { p50Ms }),
    ...(p99Ms && { p99Ms }),
    ...(refusedPercent && { refusedPercent }),
    ratios: {
      ...{ perSecond: spread(ratios("perSecond")), cpuUs: spread(ratios("cpuUs")) },
      ...(p99Ratio && { p99Ms: p99Ratio }),
    },
  };
}

const rounded = (value: number) => Math.round(value * 100) / 100;

function spread(values: readonly (number | undefined)[]): Spread {
  const { median, min, max } = spreadOf(values.filter((value) => value !== undefined));
  return { median: rounded(median), min: rounded(min), max: rounded(max) };
}

/** Returns the spread of values that not every measurement has, or undefined. */
const spreadIfMeasured = (values: readonly (number | undefined)[]): Spread | undefined =>
  values.some((value) => value !== undefined) ? spread(values) : undefined;
