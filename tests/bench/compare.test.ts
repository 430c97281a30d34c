import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runBench } from "../harness/run-bench.ts";
import type { Results, Row } from "./results.ts";

const folder = mkdtempSync(join(tmpdir(), "hivegate-results-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Range = readonly [median: number, min: number, max: number];
const spread = ([median, min, max]: Range) => ({ median, min, max });
const row = (subject: string, { cpu = [1, 1, 1] as Range, rate = [1, 1, 1] as Range, what = "a page" }) =>
  ({
    ...{ what, subject, perSecond: spread([1, 1, 1]), cpuUs: spread([1, 1, 1]) },
    ratios: { perSecond: spread(rate), cpuUs: spread(cpu) },
  }) satisfies Row;

const machine = { cores: 2, cpu: "a CPU", node: "v20.9.0" };
function write(name: string, rows: readonly Row[], changed: Partial<Results["run"]> = {}): string {
  const results: Results = {
    run: {
      ...{ date: "2026-01-01T00:00:00.000Z", version: "1.0.0", commit: "abc1234", rounds: 5, seconds: 3 },
      ...{ machine, tools: { load: "wrk", backend: "nginx", isPinned: true } },
      ...changed,
    },
    load: { isQuiet: true, busiest: 0, verdict: "" },
    rows: [...rows],
  };
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(results));
  return path;
}

describe("npm run bench -- --compare", () => {
  test("shows each ratio before and now, marks one beyond the noise as worse, and exits with 1", async () => {
    const before = write("costs-less.json", [
      row("hivegate", { cpu: [1.2, 1.1, 1.3], rate: [0.8, 0.7, 0.9] }),
    ]);
    const now = write("costs-more.json", [row("hivegate", { cpu: [1.5, 1.4, 1.6], rate: [0.75, 0.6, 0.8] })]);
    const { code, stdout, stderr } = await runBench("--read", now, "--compare", before);
    expect(stdout).toMatch(/processor time.*1\.2 \(1\.1 to 1\.3\).*1\.5 \(1\.4 to 1\.6\).*'worse'/);
    expect(stdout).toMatch(/rate.*0\.8 \(0\.7 to 0\.9\).*0\.75 \(0\.6 to 0\.8\).*'within the noise'/);
    expect(stderr).toBe(
      "Worse: a page, hivegate, processor time: 1.5 (1.4 to 1.6), before 1.2 (1.1 to 1.3)\n",
    );
    expect(code).toBe(1);
  });

  test("marks a lower rate as worse, and less processor time as better", async () => {
    const before = write("fast.json", [row("hivegate", { cpu: [1.5, 1.4, 1.6], rate: [0.8, 0.7, 0.9] })]);
    const now = write("slow.json", [row("hivegate", { cpu: [1.2, 1.1, 1.3], rate: [0.5, 0.4, 0.6] })]);
    const { code, stdout } = await runBench("--read", now, "--compare", before);
    expect(stdout).toMatch(/processor time.*'better'/);
    expect(stdout).toMatch(/rate.*'worse'/);
    expect(code).toBe(1);
  });

  test("exits with 0 if only other servers, or rows of one run, got worse", async () => {
    const before = write("few.json", [row("httpxy", {}), row("hivegate", { what: "a file" })]);
    const now = write("more.json", [row("httpxy", { cpu: [9, 9, 9] }), row("hivegate", { cpu: [9, 9, 9] })]);
    const { code, stdout } = await runBench("--read", now, "--compare", before);
    expect(stdout).toContain("Not compared: a file, hivegate: measured before only.");
    expect(stdout).toContain("Not compared: a page, hivegate: measured now only.");
    expect(code).toBe(0);
  });

  test("ignores ranges that differ by less than a twentieth", async () => {
    const before = write("quiet.json", [row("hivegate", { cpu: [1, 0.99, 1.01] })]);
    const now = write("quiet-too.json", [row("hivegate", { cpu: [1.03, 1.02, 1.04] })]);
    const { code, stdout } = await runBench("--read", now, "--compare", before);
    expect(stdout).toMatch(/processor time.*'within the noise'/);
    expect(code).toBe(0);
  });

  test("names version, commit and date of both runs, and the differences of machine and tools", async () => {
    const before = write("here.json", []);
    const now = write("there.json", [], {
      ...{ version: "1.1.0", commit: "def5678", date: "2026-02-01T00:00:00.000Z" },
      machine: { ...machine, cpu: "another CPU" },
      tools: { load: "wrk", backend: "a Node server", isPinned: true },
    });
    const { stdout } = await runBench("--read", now, "--compare", before);
    expect(stdout).toContain(
      "before: 1.0.0 (abc1234, 2026-01-01T00:00:00.000Z); now: 1.1.0 (def5678, 2026-02-01T00:00:00.000Z)",
    );
    expect(stdout.match(/Not the same: .*/g)).toEqual([
      "Not the same: CPU: a CPU before, another CPU now.",
      "Not the same: backend: nginx before, a Node server now.",
    ]);
  });

  test("refuses results of fewer than three rounds", async () => {
    const once = write("once.json", [], { rounds: 1 });
    const { code, stderr } = await runBench("--read", once, "--compare", write("often.json", []));
    expect(stderr).toContain("a comparison takes results of at least 3 rounds");
    expect(code).toBe(1);
  });

  test.each([
    ["no JSON", "not json", "it is not JSON"],
    ["other JSON", '{"rows":[]}', "run: "],
  ])("names a file of %s, and measures nothing", async (_, text, fault) => {
    const path = join(folder, "other.json");
    writeFileSync(path, text);
    const { code, stdout, stderr } = await runBench("--compare", path);
    expect(stderr).toContain(`${path} holds no results of the bench: ${fault}`);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });
});

test("npm run bench -- --table prints the gateway's rows of a file as a table for the docs", async () => {
  const file = write("table.json", [
    row("httpxy", {}),
    row("hivegate", { cpu: [1.2, 1.1, 1.3] }),
    row("hivegate through Next", { rate: [0.5, 0.4, 0.6] }),
  ]);
  const { code, stdout } = await runBench("--read", file, "--table");
  expect(stdout.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
    "| row | processor time, µs | of base's | rate, of base's | p99, of base's |",
    expect.stringMatching(/^\| -+ \| -+ \| -+ \| -+ \| -+ \|$/),
    "| a page | 1 | 1.2 (1.1 to 1.3) | 1 | |",
    "| a page, through Next | 1 | 1 | 0.5 (0.4 to 0.6) | |",
    "",
  ]);
  expect(code).toBe(0);
});
