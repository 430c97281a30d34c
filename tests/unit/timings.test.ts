import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { Timings } from "../../lib/timings.ts";

test("timings have the series and values of prom-client's histogram, whatever is observed", async () => {
  const label = fc.constantFrom("a", "b", "a b");
  // Sums of eighths are exact in any order.
  const seconds = fc.integer({ min: 0, max: 40 }).map((eighths) => eighths / 8);
  const observations = fc.array(fc.tuple(seconds, label, label, label), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(observations, async (observed) => {
      const [own, reference] = [new Registry(), new Registry()];
      const options = {
        name: "request_seconds",
        help: "Time of a request",
        labelNames: ["method", "route", "status"] as ["method", "route", "status"],
        buckets: [0.125, 1, 3],
      };
      const timings = new Timings({ ...options, registers: [own] });
      const histogram = new Histogram({ ...options, registers: [reference] });
      for (const [time, method, route, status] of observed) {
        timings.observe(time, method, route, status);
        histogram.observe({ method, route, status }, time);
      }
      const linesOf = async (registry: Registry) => (await registry.metrics()).split("\n").sort();
      expect(await linesOf(own)).toEqual(await linesOf(reference));
    }),
  );
});
