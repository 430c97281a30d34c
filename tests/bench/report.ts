import { inWords } from "./in-words.ts";
import type { Row } from "./results.ts";

/** The meaning of each row of the bench. */
export const explanations = {
  http: "GET one user: a small JSON answer of a backend that costs next to nothing and has the core of the load, so that what is seen is the way through. httpxy is the measure, and nginx a proxy that does nothing else; the undici proxy is the least that Node can do; hivegate also reads the token, counts quotas, checks and projects the answer, and logs each request.",
  calls:
    "A page of posts and a bootstrap: `direct calls` makes the backend calls of the same request by undici, in the same order, and reads their JSON; hivegate checks, joins and projects the answers too.",
  file: "A file of 4 MB, over four connections: cpu µs is the processor time for a megabyte.",
  websocket:
    "Fan-out: one event of the backend to each of so many websockets, frames a second over all of them, until the last one has its last. cpu µs is the processor time of the server itself for a frame. Beside clients that never read, only frames of those that read count. A storm: websockets opened at a pace, however long each takes; p50 and p99 are the times from the request to the first message, and cpu µs is the processor time for one.",
  verify:
    "POST /verify against the floor of its cryptography: `bare recovery` does nothing but recover the key of the payment's signature, which is the least that any facilitator does; `hivegate` is the facilitator over a chain that answers at once. POST /settle: payments that the chain includes at once; cpu µs is the facilitator's time for one.",
  served:
    "A payment's way from the signature to the content: through a paywall, a facilitator and two nodes of a chain with a block every three seconds, at all moments between two blocks. p95Ms is the slowest twentieth.",
  idle: "Websockets that carry nothing but the gateway's pings. kbPerConnection: memory of the server for each, its resident size, which the collector of Node rounds up. percentOfCore: processor time of all of them together.",
  slowReaders:
    "Clients that never read, each of which was sent more than the system buffers. kbPerSilent: memory of the server for each. cutAfterSeconds: the time until the server had cut all of them; null if it keeps them.",
  duePayments:
    "Looking for payments that are due among a million keys in Redis, 200 times: what a facilitator does every few seconds. redis cpu ms is Redis's own time for one look.",
  comparison:
    "Multiples of the base's values, before and now: the median of the rounds, with the minimum and maximum in brackets. Worse or better: no round of one run reaches a round of the other, and the medians differ by more than a twentieth.",
  columns:
    "Columns: each value is the median of the rounds, with the minimum and maximum in brackets (the warm-up is not among them). A second: answers, frames or websockets. CPU µs: the server's processor time for one. p50 and p99: the middle answer and the slowest hundredth, in ms. The last three columns are multiples of the base's values in the same round: httpxy, the direct calls, the bare recovery, or nginx for websockets. Compare multiples of one run, not numbers of two machines.",
} as const;

export type RowKind = keyof typeof explanations;

/** Reports the current step, with the seconds since the start. */
export function say(text: string): void {
  console.log(`[${(performance.now() / 1000).toFixed(0).padStart(3)} s] ${text}`);
}

/** Prints measured rows, the meaning of them, and that of the columns. */
export function printRows(rows: readonly Row[], kind: RowKind): void {
  const shown = rows.map(({ what, subject, perSecond, cpuUs, p50Ms, p99Ms, refusedPercent, ratios }) => ({
    what,
    subject,
    "a second": inWords(perSecond),
    "CPU µs": inWords(cpuUs),
    ...(p50Ms && { p50: inWords(p50Ms) }),
    ...(p99Ms && { p99: inWords(p99Ms) }),
    ...(refusedPercent && { "refused %": inWords(refusedPercent) }),
    "of base: a second": inWords(ratios.perSecond),
    "of base: CPU": inWords(ratios.cpuUs),
    ...(ratios.p99Ms && { "of base: p99": inWords(ratios.p99Ms) }),
  }));
  printTable(shown, kind, "columns");
}

/** Prints a table, the meaning of its rows, and an empty line. */
export function printTable(rows: readonly object[], ...kinds: RowKind[]): void {
  console.table(rows);
  for (const kind of kinds) console.log(`  ${explanations[kind]}`);
  console.log("");
}
