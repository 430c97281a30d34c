import { setImmediate as later } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createSingleFlight, forEachWithConcurrency } from "../../../lib/async/concurrency.ts";

describe("concurrency", () => {
  it("processes every item once, with up to the limit in progress at a time", async () => {
    let underWay = 0;
    let most = 0;
    const done: number[] = [];
    const items = Array.from({ length: 50 }, (_, index) => index);
    await forEachWithConcurrency(items, 8, async (item) => {
      most = Math.max(most, ++underWay);
      await later();
      underWay -= 1;
      done.push(item);
    });
    expect(done.sort((one, two) => one - two)).toEqual(items);
    expect(most).toBe(8);
  });

  it("starts no further item after a failure, and rejects with it", async () => {
    let begun = 0;
    const run = forEachWithConcurrency(Array(100).fill(0), 2, async () => {
      begun += 1;
      await later();
      if (begun > 3) throw new Error("no");
    });
    await expect(run).rejects.toThrow("no");
    expect(begun).toBeLessThan(10);
  });
});

describe("single flight", () => {
  it("shares one run among simultaneous callers, runs again afterwards, and passes on failures", async () => {
    const share = createSingleFlight<number>();
    let flights = 0;
    const work = async () => {
      flights += 1;
      await later();
      if (flights === 2) throw new Error("second");
      return flights;
    };
    expect(await Promise.all([share("a", work), share("a", work), share("a", work)])).toEqual([1, 1, 1]);
    await expect(share("a", work)).rejects.toThrow("second");
    expect(await Promise.all([share("a", work), share("b", work)])).toEqual([4, 4]);
  });
});
