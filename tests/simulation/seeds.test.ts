import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const simulate = fileURLToPath(new URL("simulate.ts", import.meta.url));
const run = promisify(execFile);

/** Runs the command of `npm run simulate`. Rejects if the exit code is not 0. */
const runSeeds = async (from: number, count: number) => {
  const given = ["--from", String(from), "--seeds", String(count)];
  const { stdout } = await run(process.execPath, [
    "--max-semi-space-size=64",
    "--import",
    "tsx",
    simulate,
    ...given,
  ]);
  return stdout.trim().split("\n").at(-1);
};

describe("payments", () => {
  // 600 seeds find every planted fault, most of them within 100. `npm run simulate` runs any number.
  test("keep every promise in 600 simulated runs", { timeout: 1_800_000 }, async () => {
    const [first, second] = await Promise.all([runSeeds(1, 300), runSeeds(301, 300)]);
    expect(first).toContain("seeds 1 to 300: 0 violations");
    expect(second).toContain("seeds 301 to 600: 0 violations");
  });
});
