/** The spread of several measurements. */
export type Spread = { median: number; min: number; max: number };

/** Returns the median, the minimum and the maximum of the values. @throws RangeError if there are none */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((one, other) => one - other);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) throw new RangeError("nothing was measured");
  const upper = sorted[Math.floor(sorted.length / 2)] ?? max;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? min;
  return { median: (lower + upper) / 2, min, max };
}
