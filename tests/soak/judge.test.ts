import { describe, expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { Sample } from "./report-on-signal.ts";

const MIB = 1024 * 1024;
const flat: Sample = { heap: 50 * MIB, resident: 150 * MIB, descriptors: 40, timers: 10 };
/** Returns nine samples in which `at` sets one measure. */
const series = (measure: keyof Sample, at: (index: number) => number): Sample[] =>
  Array.from({ length: 9 }, (_, index) => ({ ...flat, [measure]: at(index) }));
const growing = (samples: Sample[]) =>
  judge(samples)
    .filter(({ isFlat }) => !isFlat)
    .map(({ measure }) => measure);

describe("the verdict on a soak", () => {
  test.each<[keyof Sample, number]>([
    ["heap", 2 * MIB],
    ["resident", 10 * MIB],
    ["descriptors", 2],
    ["timers", 2],
  ])("finds growth of the measure %s from sample to sample", (measure, step) => {
    expect(growing(series(measure, (index) => flat[measure] + index * step))).toEqual([measure]);
  });

  test.each<keyof Sample>(["heap", "resident", "descriptors", "timers"])(
    "tolerates variation of the measure %s, and one outlier",
    (measure) => {
      expect(
        growing(series(measure, (index) => flat[measure] * (index === 8 ? 3 : 1 + (index % 2) / 50))),
      ).toEqual([]);
    },
  );

  test("requires at least three samples", () => {
    expect(() => judge([flat, flat])).toThrow(RangeError);
  });
});
