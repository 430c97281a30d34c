import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const execute = promisify(execFile);
const isBuilt = existsSync(".next/BUILD_ID") && existsSync("dist/server.js");

/** Runs the command as it is printed, however busy this machine is. */
async function bench(...args: string[]) {
  const ended = execute("npm", ["run", "--silent", "bench", "--", ...args], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  return ended.then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
}

describe.skipIf(!isBuilt)("npm run bench", () => {
  test("refuses to start on a busy machine", async () => {
    const { code, stderr, stdout } = await bench("--quick", "--busy-above=-1");
    expect(code).toBe(2);
    expect(stderr).toMatch(/NOT GOOD: others used up to \d+ % of the machine/);
    expect(stderr).toContain("--anyway");
    expect(stdout).not.toContain("warming up");
  });

  test("reports its steps, warms up, and prints spreads with an explanation of the rows", async () => {
    const { code, stdout } = await bench("--quick", "--busy-above=100");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\[ *\d+ s\] GET one user, 16 connections: warming up .*hivegate/);
    expect(stdout).not.toContain("NaN");
    expect(stdout).toMatch(
      /round 1 of 1: .*hivegate [\d,]+\/s, hivegate through Next [\d,]+\/s; others used \d+ % of the machine/,
    );
    expect(stdout).toMatch(/what.*subject.*median.*min.*max.*cpuUs.*ratio/);
    expect(stdout).toContain("a small JSON answer");
    expect(stdout).toContain("These numbers can be compared.");
  });

  test("refuses fractions of a second, which wrk rejects", async () => {
    const { code, stderr } = await bench("--seconds", "0.5");
    expect(code).toBe(1);
    expect(stderr).toContain("--seconds takes a whole number above zero");
  });

  test("marks numbers from a busy machine as unreliable", async () => {
    const { code, stdout } = await bench("--quick", "--anyway", "--busy-above=-1");
    expect(code).toBe(2);
    expect(stdout).toMatch(/NOT GOOD: others used up to \d+ % of the machine/);
    expect(stdout).not.toContain("can be compared.");
  });
});
