import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readResults } from "../bench/results.ts";
import { runBench } from "../harness/run-bench.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const isBuilt = existsSync(".next/BUILD_ID") && existsSync("dist/server.js");

describe.skipIf(!isBuilt)("npm run bench", () => {
  test("refuses to start on a busy machine", async () => {
    const { code, stderr, stdout } = await runBench("--quick", "--busy-above=-1");
    expect(code).toBe(2);
    expect(stderr).toMatch(/NOT GOOD: others used up to \d+ % of the machine/);
    expect(stderr).toContain("--anyway");
    expect(stdout).not.toContain("warming up");
  });

  test("reports its steps, warms up, and prints and writes spreads with version and machine", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "hivegate-results-")), "results.json");
    const { code, stdout } = await runBench("--quick", "--busy-above=100", "--write", file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\[ *\d+ s\] GET one user, 16 connections: warming up .*hivegate/);
    expect(stdout).not.toContain("NaN");
    expect(stdout).toMatch(
      /round 1 of 1: .*hivegate [\d,]+\/s, hivegate through Next [\d,]+\/s; others used \d+ % of the machine/,
    );
    expect(stdout).toMatch(/what.*subject.*a second.*CPU µs.*p50.*p99.*of base: CPU/);
    expect(stdout).toContain("a small JSON answer");
    expect(stdout).toContain("These numbers can be compared.");
    const { run, rows } = readResults(file);
    expect(run).toMatchObject({ version, rounds: 1, machine: { node: process.version } });
    expect(rows.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(["httpxy", "hivegate", "hivegate through Next"]),
    );
  });

  test("measures idle websockets, storms and clients that never read", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "hivegate-results-")), "results.json");
    const { code } = await runBench("--quick", "--only=websocket", "--busy-above=100", "--write", file);
    expect(code).toBe(0);
    const { rows, idle, slowReaders } = readResults(file);
    expect(rows.filter(({ subject }) => subject === "hivegate")).toMatchObject([
      { what: "fan-out to 10 websockets" },
      { what: "fan-out to 2 websockets beside 2 that never read" },
      { what: "a storm of 50 websockets a second", refusedPercent: { max: 0 } },
    ]);
    expect(idle?.map(({ subject }) => subject)).toContain("hivegate");
    expect(slowReaders?.map(({ subject }) => subject)).toContain("hivegate");
  });

  test("refuses fractions of a second, which wrk rejects", async () => {
    const { code, stderr } = await runBench("--seconds", "0.5");
    expect(code).toBe(1);
    expect(stderr).toContain("--seconds takes a whole number above zero");
  });

  test("marks numbers from a busy machine as unreliable", async () => {
    const { code, stdout } = await runBench("--quick", "--anyway", "--busy-above=-1");
    expect(code).toBe(2);
    expect(stdout).toMatch(/NOT GOOD: others used up to \d+ % of the machine/);
    expect(stdout).not.toContain("can be compared.");
  });
});
