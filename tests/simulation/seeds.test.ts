import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const simulate = fileURLToPath(new URL("simulate.ts", import.meta.url));
const run = promisify(execFile);

/** More than the trace of the longest run. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** The last lines of the output, which name the violation and how to replay it. */
const TAIL_LINES = 40;

const tailOf = (output: string) => output.trim().split("\n").slice(-TAIL_LINES);

/** Runs the command of `npm run simulate`. Rejects with the end of its output if the exit code is not 0. */
const runSeeds = async (from: number, count: number) => {
  const given = ["--from", String(from), "--seeds", String(count)];
  const { stdout } = await run(
    process.execPath,
    ["--no-warnings", "--max-semi-space-size=64", "--import", "tsx", simulate, ...given],
    { maxBuffer: MAX_OUTPUT_BYTES },
  ).catch(({ message, stdout = "" }: Error & { stdout?: string }) => {
    throw new Error([...tailOf(stdout), ...tailOf(message)].join("\n"));
  });
  return tailOf(stdout).at(-1);
};

describe("payments", () => {
  // 600 seeds find every planted fault, most of them within 100. `npm run simulate` runs any number.
  test("keep every promise in 600 simulated runs", { timeout: 1_800_000 }, async () => {
    const [first, second] = await Promise.all([runSeeds(1, 300), runSeeds(301, 300)]);
    expect(first).toContain("seeds 1 to 300: 0 violations");
    expect(second).toContain("seeds 301 to 600: 0 violations");
  });
});
