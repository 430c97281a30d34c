import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const simulate = fileURLToPath(new URL("simulate.ts", import.meta.url));
const run = promisify(execFile);

/** The command of `npm run simulate`; rejects if it exits with another code than 0. */
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
  test("keep every promise in 2,000 simulated runs", { timeout: 900_000 }, async () => {
    const [first, second] = await Promise.all([runSeeds(1, 1000), runSeeds(1001, 1000)]);
    expect(first).toContain("seeds 1 to 1000: 0 violations");
    expect(second).toContain("seeds 1001 to 2000: 0 violations");
  });
});
