import { beforeAll, describe, expect, test } from "vitest";
import { bundleProduct, type LoadProduct } from "./product.ts";
import { createRunner, type Runner } from "./run.ts";
import { idsOf } from "./shrink.ts";

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

let load: LoadProduct;
let runner: Runner;
beforeAll(async () => {
  load = await bundleProduct();
  runner = createRunner(load);
});

describe("a simulated run", () => {
  test.each(seeds)("of seed %i is identical each time, to the last line", async (seed) => {
    const first = await runner.run(seed);
    expect(first.events).toBeGreaterThan(10);
    await runner.run(seed + 1000);
    expect(await runner.run(seed)).toEqual(first);
    expect(await createRunner(load).run(seed)).toEqual(first);
  });

  test.each(seeds)("of seed %i is identical if only its own deviations are allowed", async (seed) => {
    const first = await runner.run(seed);
    expect(first.deviations.length).toBeGreaterThan(0);
    expect(await runner.run(seed, { allowed: idsOf(first) })).toEqual(first);
  });

  test.each(seeds)("of seed %i without deviations charges once and delivers the content", async (seed) => {
    const { violation, outcomes, counts, deviations } = await runner.run(seed, { allowed: new Set() });
    expect({ violation, deviations }).toEqual({ violation: null, deviations: [] });
    expect(counts).toEqual({ signed: 1, charged: 1, delivered: 1, refunded: 0 });
    expect(outcomes).toEqual([expect.stringMatching(/^200 content/)]);
  });

  test("in which an agent asks its owner, and nothing else deviates, pays once by the approval", async () => {
    const { violation, outcomes, counts, deviations } = await runner.run(6, {
      allowed: new Set(["asking#0"]),
    });
    expect({ violation, deviations: deviations.map(({ kind }) => kind) }).toEqual({
      violation: null,
      deviations: ["an agent asks its owner"],
    });
    expect(counts).toEqual({ signed: 2, charged: 2, delivered: 2, refunded: 0 });
    expect(outcomes).toEqual([expect.stringMatching(/^200 content/), expect.stringMatching(/^200 content/)]);
  });

  test("differs from a run of another seed", async () => {
    const { traceHash } = await runner.run(11);
    expect((await runner.run(12)).traceHash).not.toBe(traceHash);
  });
});
