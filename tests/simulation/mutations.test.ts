import { describe, expect, test } from "vitest";
import { mutations } from "./mutations.ts";
import { bundleProduct } from "./product.ts";
import { createRunner } from "./run.ts";
import { idsOf, kindOf, shrink } from "./shrink.ts";

const FIRST_SEED = 3271;
const SEEDS_MOST = 300;

/** Finds the first run that breaks a promise. */
async function findViolation(mutation: (typeof mutations)[number]) {
  const runner = createRunner(await bundleProduct(mutation));
  const { firstSeed = FIRST_SEED } = mutation;
  for (let seed = firstSeed; seed < firstSeed + SEEDS_MOST; seed++) {
    const result = await runner.run(seed);
    if (result.violation !== null) return { runner, result };
  }
  return null;
}

const unmodified = createRunner(await bundleProduct());

describe("the simulation", () => {
  test("lists at least twenty plausible faults of payment code", () => {
    expect(new Set(mutations.map(({ name }) => name)).size).toBeGreaterThanOrEqual(20);
  });

  test.each(mutations)("detects that $name", async (mutation) => {
    const found = await findViolation(mutation);
    const violation = found?.result.violation;
    expect(violation).toEqual(expect.any(String));
    // A fault that only breaks the code, and a run that breaks without it, prove nothing about the simulation.
    expect(violation).not.toContain("ReferenceError");
    expect(found && (await unmodified.run(found.result.seed)).violation).toBeNull();
  });

  test("shrinks a run that breaks a promise, and replays it exactly", async () => {
    const found = await findViolation(mutations[1] as (typeof mutations)[number]);
    if (!found) throw new Error("nothing to shrink");
    const { runner, result } = found;
    const shortest = await shrink(runner, result);
    expect(kindOf(shortest.violation ?? "")).toBe(kindOf(result.violation ?? ""));
    expect(shortest.deviations.length).toBeLessThan(result.deviations.length);
    const again = await runner.run(result.seed, { allowed: idsOf(shortest), isTraced: true });
    expect(again).toEqual(shortest);
  });

  test("reports a planted fault that no longer fits the code", async () => {
    const outdated = { file: "lib/x402/facilitator/settle.ts", from: "no such text", to: "" };
    await expect(bundleProduct(outdated)).rejects.toThrow("mutation out of date");
  });
});
