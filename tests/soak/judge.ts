import type { Sample } from "./report-on-signal.ts";

export type Verdict = {
  measure: keyof Sample;
  early: number;
  late: number;
  allowed: number;
  isFlat: boolean;
};

const MIB = 1024 * 1024;
/** The tolerated growth from beginning to end: the variation between samples without a leak. */
const slack: Record<keyof Sample, (early: number) => number> = {
  heap: (early) => 4 * MIB + early * 0.05,
  resident: (early) => 24 * MIB + early * 0.15,
  descriptors: () => 5,
  timers: () => 5,
};

/** Compares the median of the first third of the samples with that of the last third. */
export function judge(samples: readonly Sample[]): Verdict[] {
  const third = Math.ceil(samples.length / 3);
  if (samples.length < 3) throw new RangeError("three samples or more tell something");
  return (Object.keys(slack) as Array<keyof Sample>).map((measure) => {
    const early = median(samples.slice(0, third).map((sample) => sample[measure]));
    const late = median(samples.slice(-third).map((sample) => sample[measure]));
    const allowed = early + slack[measure](early);
    return { measure, early, late, allowed, isFlat: late <= allowed };
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, two) => one - two);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}
