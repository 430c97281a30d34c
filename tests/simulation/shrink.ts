import type { Runner, RunResult } from "./run.ts";

const RUNS_MOST = 400;
/** Ends the search among runs that do not end, which have far more events than others. */
const EVENTS_MOST = 1_500_000;

/** Returns the kind of a violation, regardless of the payment that it happened to. */
export const kindOf = (violation: string) => violation.replace(/\b[0-9a-f]{8}\b/g, "…").replace(/\d+/g, "N");

/**
 * Removes deviations as long as the run breaks the same invariant, first by halves and finally one by one.
 * Resolves to the run with the fewest deviations.
 */
export async function shrink(runner: Runner, failed: RunResult): Promise<RunResult> {
  const wanted = kindOf(failed.violation ?? "");
  let best = failed;
  let runs = 0;
  let events = 0;
  const isOver = () => runs >= RUNS_MOST || events >= EVENTS_MOST;
  let size = Math.ceil(best.deviations.length / 2);
  while (!isOver()) {
    let hasShrunk = false;
    for (let start = 0; start < best.deviations.length && !isOver(); ) {
      const kept = best.deviations.filter((_, index) => index < start || index >= start + size);
      const allowed = new Set(kept.map(({ id }) => id));
      const result = await runner.run(failed.seed, { allowed });
      runs++;
      events += result.events;
      if (kindOf(result.violation ?? "") === wanted && result.deviations.length < best.deviations.length) {
        best = result;
        hasShrunk = true;
      } else start += size;
    }
    if (size === 1 && !hasShrunk) break;
    size = Math.max(1, Math.floor(size / 2));
  }
  return runner.run(failed.seed, { allowed: idsOf(best), isTraced: true });
}

/** Returns the ids of a run's deviations, to replay it. */
export const idsOf = ({ deviations }: RunResult) => new Set(deviations.map(({ id }) => id));
