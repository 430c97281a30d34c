import { parseArgs } from "node:util";
import { compareResults, findDifferences, findUnpaired, LEAST_ROUNDS } from "./compare-results.ts";
import { BUSY_ABOVE, createLoadWatch } from "./machine-load.ts";
import type { Plan } from "./plan.ts";
import { printTable, say } from "./report.ts";
import { type Results, readResults, writeResults } from "./results.ts";
import { tableOf } from "./results-table.ts";
import { quickSizes, usualSizes } from "./websocket-sizes.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    /** Measures for a few seconds, and only HTTP if no part is named, to check that the bench runs. */
    quick: { type: "boolean", default: false },
    /** Comma-separated names of the parts to measure: http, calls, file, websocket, payments, served, store. */
    only: { type: "string" },
    /** Measures even on a busy machine, and reports the numbers as unreliable. */
    anyway: { type: "boolean", default: false },
    "busy-above": { type: "string", default: String(BUSY_ABOVE * 100) },
    /** The file for the results. */
    write: { type: "string", default: "bench-results.json" },
    /** Results of an earlier run. Ratios that got worse are marked, and the exit code is 1. */
    compare: { type: "string" },
    /** Reads the results of a run from this file instead of measuring, to compare two files. */
    read: { type: "string" },
    /** Prints the results as the table of docs/performance.md. */
    table: { type: "boolean", default: false },
  },
});

/** Returns an option's value: a positive whole number, as wrk accepts no fractions of a second. */
function wholeNumber(option: "rounds" | "seconds"): number {
  const number = values.quick ? 1 : Number(values[option]);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new TypeError(`--${option} takes a whole number above zero`);
  return number;
}

const started: Array<{ stop(): void }> = [];
const watch = createLoadWatch(Number(values["busy-above"]) / 100);
const wanted = values.only?.split(",") ?? (values.quick ? ["http"] : undefined);
const plan: Plan = {
  rounds: wholeNumber("rounds"),
  seconds: wholeNumber("seconds"),
  connections: values.quick ? [16] : [64, 16, 1],
  websockets: values.quick ? quickSizes : usualSizes,
  isWanted: (part) => wanted?.includes(part) ?? true,
  watch,
  keep(subject) {
    started.push(subject);
    return subject;
  },
};

/** Measures the wanted parts and writes the results; null on a machine that is too busy. */
async function measure(): Promise<Results | null> {
  // The servers under measurement take seconds to load, and a comparison of two files needs none of them.
  const { measureAll } = await import("./measure-all.ts");
  const results = await measureAll(plan, { isForced: values.anyway });
  if (!results) {
    console.error(
      `${watch.judge().verdict}\nNothing was measured; \`npm run bench -- --anyway\` does it all the same.`,
    );
    process.exitCode = 2;
    return null;
  }
  writeResults(values.write, results);
  say(`${results.load.verdict} Written to ${values.write}.`);
  process.exitCode = results.load.isQuiet ? 0 : 2;
  return results;
}

/** Prints each of the gateway's ratios before and now, and what the two runs do not have in common. */
function printComparison(earlier: Results, now: Results): void {
  const changes = compareResults(earlier, now);
  const nameOf = ({ run }: Results) => `${run.version} (${run.commit ?? "no commit"}, ${run.date})`;
  say(`before: ${nameOf(earlier)}; now: ${nameOf(now)}`);
  printTable(changes, "comparison");
  for (const difference of findDifferences(earlier, now)) console.log(`Not the same: ${difference}.`);
  for (const row of findUnpaired(earlier, now)) console.log(`Not compared: ${row}.`);
  const worse = changes.filter(({ verdict }) => verdict === "worse");
  for (const { what, subject, measure, ...change } of worse)
    console.error(`Worse: ${what}, ${subject}, ${measure}: ${change.now}, before ${change.before}`);
  if (worse.length > 0) process.exitCode = 1;
}

const compared = values.compare === undefined ? null : readResults(values.compare);
if (compared && values.read === undefined && plan.rounds < LEAST_ROUNDS)
  throw new TypeError(`--compare takes at least ${LEAST_ROUNDS} rounds, which show how much they differ`);
try {
  const results = values.read === undefined ? await measure() : readResults(values.read);
  if (values.table && results) console.log(tableOf(results));
  if (compared && results) printComparison(compared, results);
} finally {
  for (const subject of started) subject.stop();
}
process.exit();
