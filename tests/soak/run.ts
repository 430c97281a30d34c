import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { judge } from "./judge.ts";
import type { Sample } from "./report-on-signal.ts";
import { startSoakServers } from "./start-soak-servers.ts";
import { runTraffic, type Tally } from "./traffic.ts";

/**
 * `npm run soak -- --minutes 10`: sends traffic of all kinds, with a rest before each sample. Exits with 1 if
 * a measure grows.
 */
const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const ROUND_MS = 30_000;
/** Idle connections to Mattermost end within this time. */
const REST_MS = 7000;
const rounds = Math.max(5, Math.round((Number(values.minutes) * 60_000) / ROUND_MS));
/** Number of rounds in which caches fill and code is compiled. */
const warmUp = Math.ceil(rounds / 5);

const servers = await startSoakServers();
const samples: Record<"app" | "facilitator", Sample[]> = { app: [], facilitator: [] };
const tally: Tally = new Map();
for (let round = 0; round < rounds; round++) {
  await runTraffic(servers, tally, AbortSignal.timeout(ROUND_MS - REST_MS));
  await sleep(REST_MS);
  const sample = await servers.sample();
  const shown = Object.entries(sample).map(([name, { heap, resident, descriptors, timers }]) => {
    return `${name}: heap ${inMib(heap)}, resident ${inMib(resident)}, ${descriptors} descriptors, ${timers} timers`;
  });
  console.log(`${round + 1}/${rounds}${round < warmUp ? " (warming up)" : ""} ${shown.join("; ")}`);
  if (round < warmUp) continue;
  samples.app.push(sample.app);
  samples.facilitator.push(sample.facilitator);
}

console.table(Object.fromEntries([...tally].sort().map(([key, count]) => [key, { count }])));
const rows = Object.entries(samples).flatMap(([name, ofOne]) =>
  judge(ofOne).map(({ measure, early, late, allowed, isFlat }) => {
    const show = (value: number) =>
      measure === "heap" || measure === "resident" ? inMib(value) : String(value);
    return { process: name, measure, early: show(early), late: show(late), allowed: show(allowed), isFlat };
  }),
);
console.table(rows);
const faults = servers.faults();
const failed = [...tally.keys()].filter((key) => /(5\d\d|Error)$/.test(key));
await servers.close();
for (const fault of faults.slice(0, 10)) console.error(fault);
if (failed.length > 0) console.error(`Answers that should not be: ${failed.join(", ")}`);
const isGood = rows.every(({ isFlat }) => isFlat) && faults.length === 0 && failed.length === 0;
console.log(isGood ? "flat" : "NOT flat, or with faults");
process.exit(isGood ? 0 : 1);

function inMib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
