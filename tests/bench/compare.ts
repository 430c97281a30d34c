import type { Subject } from "./children.ts";
import type { LoadWatch } from "./machine-load.ts";
import { say } from "./report.ts";
import { spreadOf } from "./spread.ts";

/**
 * A server's results in one round: answers or frames a second, and processor time for one in microseconds.
 */
export type Measured = { perSecond: number; cpuUs: number };

export type Row = {
  what: string;
  subject: string;
  median: number;
  min: number;
  max: number;
  cpuUs: number;
  ratio: number;
};

/**
 * Measures each subject in turn for this many rounds, after an uncounted warm-up round. Ratios are to nginx;
 * without it, to the backend itself.
 */
export async function compare(
  what: string,
  subjects: readonly Subject[],
  measure: (subject: Subject) => Promise<Measured>,
  { rounds, watch }: { rounds: number; watch: LoadWatch },
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
    const { median, min, max } = spreadOf(taken.map(({ perSecond }) => perSecond));
    const cpuUs = Math.round(spreadOf(taken.map((one) => one.cpuUs)).median * 10) / 10;
    return { what, subject, median: Math.round(median), min: Math.round(min), max: Math.round(max), cpuUs };
  });
  const base =
    rows.find(({ subject }) => subject === "nginx") ?? rows.find(({ subject }) => subject === "backend");
  return rows.map((row) => ({ ...row, ratio: Math.round((row.median / (base?.median || 1)) * 100) / 100 }));
}
