import { canPin, hasNginx, hasWrk, pin } from "./children.ts";
import { describeRun } from "./describe-run.ts";
import { measureDuePayments } from "./due-payments.ts";
import type { LoadWatch } from "./machine-load.ts";
import { measurePayments } from "./measure-payments.ts";
import { measureRequests } from "./measure-requests.ts";
import { measureWebsockets } from "./measure-websockets.ts";
import type { Plan } from "./plan.ts";
import { printTable, say } from "./report.ts";
import type { Results } from "./results.ts";
import { measureServed } from "./served.ts";

const QUIET_MS = 2000;

/** Measures the wanted parts. Returns null, with nothing measured, on a busy machine unless it is forced to. */
export async function measureAll(plan: Plan, { isForced }: { isForced: boolean }): Promise<Results | null> {
  const { isWanted, watch } = plan;
  const run = describeRun(new Date(), { rounds: plan.rounds, seconds: plan.seconds });
  pin(process.pid, 1);
  if (!(await isQuiet(watch)) && !isForced) return null;
  say(
    `load by ${hasWrk ? "wrk" : "a Node program, because wrk is not installed"}; backend: ${hasNginx ? "nginx" : "a Node server, because nginx is not installed"}; ${canPin ? "servers on one core, backend and load on the other" : "no taskset, so that servers, backend and load share all cores"}`,
  );
  const requests = ["http", "calls", "file"].some(isWanted) ? await measureRequests(plan) : [];
  const websockets = isWanted("websocket") ? await measureWebsockets(plan) : { rows: [] };
  const payments = isWanted("payments") ? await measurePayments(plan) : [];
  let served: Results["served"];
  if (isWanted("served")) {
    say("paying for a minute on a chain with a block every three seconds");
    served = await measureServed();
    printTable([served], "served");
  }
  let duePayments: Results["duePayments"];
  if (isWanted("store")) {
    say("filling Redis with a million keys");
    duePayments = await measureDuePayments();
    printTable([duePayments], "duePayments");
  }
  const rows = [...requests, ...websockets.rows, ...payments];
  return { run, load: watch.judge(), ...websockets, rows, served, duePayments };
}

/** Returns whether the machine is idle before the measurement. */
async function isQuiet(watch: LoadWatch): Promise<boolean> {
  say(`looking for ${QUIET_MS / 1000} s at what others do on this machine`);
  watch.begin();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  say(`others used ${watch.end()}`);
  return watch.judge().isQuiet;
}
