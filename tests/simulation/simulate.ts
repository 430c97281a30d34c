import { parseArgs } from "node:util";
import { mutations } from "./mutations.ts";
import { bundleProduct } from "./product.ts";
import { createRunner, type RunResult } from "./run.ts";
import { idsOf, kindOf, shrink } from "./shrink.ts";

/**
 * `npm run simulate -- --seeds N --from S`: runs N seeds from S on. `--only a,b` replays a single run with
 * only these deviations.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    only: { type: "string" },
    /** Continues after a violation, and prints only its kind. */
    survey: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    /** Plants a fault from the list first, by its name. */
    mutation: { type: "string" },
  },
});
const [count, from] = [Number(values.seeds), Number(values.from)];
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(from) || count < 1)
  throw new TypeError("--seeds and --from take whole numbers");

const mutation = mutations.find(({ name }) => name === values.mutation);
if (values.mutation !== undefined && !mutation) throw new TypeError("no mutation has this name");
const runner = createRunner(await bundleProduct(mutation));
const counts = { signed: 0, charged: 0, delivered: 0, refunded: 0 };
const kinds = new Map<string, number[]>();
for (let seed = from; seed < from + count; seed++) {
  const allowed = values.only === undefined ? undefined : new Set(values.only.split(",").filter(Boolean));
  const result = await runner.run(seed, { ...(allowed && { allowed }), isTraced: values.trace });
  for (const name of ["signed", "charged", "delivered", "refunded"] as const)
    counts[name] += result.counts[name];
  if (result.violation === null) {
    if (values.trace) print(result);
    continue;
  }
  process.exitCode = 1;
  const kind = kindOf(result.violation);
  kinds.set(kind, [...(kinds.get(kind) ?? []), seed]);
  if (values.survey) continue;
  console.log(`seed ${seed}: ${result.violation}; looking for the shortest way there`);
  print(values.only === undefined ? await shrink(runner, result) : await replay(result));
  break;
}
const { signed, charged, delivered, refunded } = counts;
const broken = [...kinds.values()].reduce((sum, seeds) => sum + seeds.length, 0);
for (const [kind, seeds] of kinds) console.log(`${seeds.length} times (${seeds.slice(0, 5)}): ${kind}`);
console.log(
  `seeds ${from} to ${from + count - 1}: ${broken} violations; ${signed} payments signed, ${charged} charged, ${delivered} delivered, ${refunded} refunded`,
);

function replay(result: RunResult): Promise<RunResult> {
  return runner.run(result.seed, { allowed: idsOf(result), isTraced: true });
}

function print(result: RunResult): void {
  console.log(result.trace.join("\n"));
  for (const { id, kind } of result.deviations) console.log(`  ${id}: ${kind}`);
  console.log(
    `seed ${result.seed}: ${result.violation ?? "no violation"} (trace ${result.traceHash.toString(16)})`,
  );
  const only = [...idsOf(result)].join(",");
  console.log(`again: npm run simulate -- --from ${result.seed} --only '${only}'`);
}
