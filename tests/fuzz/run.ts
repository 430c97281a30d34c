import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { fuzz } from "./fuzz.ts";

/**
 * `npm run fuzz -- --requests 20000 [--seed N [--path P]]`: prints what it sent, and exits with 1 if it finds
 * a fault.
 */
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    path: { type: "string" },
  },
});
console.log(`seed ${values.seed}`);
const startedAtMs = performance.now();
const { seed, connections, requests, statuses, failure } = await fuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  ...(values.path !== undefined && { path: values.path }),
});
const seconds = Math.round((performance.now() - startedAtMs) / 1000);
console.table(Object.fromEntries([...statuses].sort().map(([key, count]) => [key, { answers: count }])));
console.log(`${requests} requests over ${connections} connections in ${seconds} s`);
if (failure) {
  console.error(`\nFound: ${failure.fault}\n${JSON.stringify(failure.attack, null, 2)}`);
  console.error(`Again: npm run fuzz -- --seed ${seed} --path ${failure.path}`);
  process.exit(1);
}
console.log("0 answers of 500, 0 hangs, 0 uncaught exceptions");
