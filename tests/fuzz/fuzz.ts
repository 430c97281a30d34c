import fc from "fast-check";
import { type Attack, attack } from "./attack.ts";
import { exchange } from "./exchange.ts";
import { startTargets } from "./start-targets.ts";

export type FuzzReport = {
  seed: number;
  connections: number;
  requests: number;
  /** Number of answers by server and status: `app 200`. */
  statuses: ReadonlyMap<string, number>;
  /** The fault, the smallest attack that causes it, and the path to repeat it; null if nothing was found. */
  failure: { fault: string; attack: Attack; path: string } | null;
};

/**
 * Sends at least `requests` random requests to the app, the facilitator and a paywall, one connection after
 * another. The same seed sends the same requests again. With the `path` of a failure, it sends only the
 * failed attack.
 */
export async function fuzz(options: { requests: number; seed: number; path?: string }): Promise<FuzzReport> {
  const { requests, seed, path } = options;
  const targets = await startTargets();
  const statuses = new Map<string, number>();
  let connections = 0;
  let sent = 0;
  const strike = async (given: Attack) => {
    connections += 1;
    sent += given.messages.length;
    const before = targets.faults().length;
    const outcome = await exchange(given, targets.portOf(given.server), targets.fill);
    for (const { status } of outcome.answers) {
      const key = `${given.server} ${status}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    }
    const [line] = targets.faults().slice(before);
    const fault = outcome.fault ?? (line === undefined ? null : `a fault in the log: ${line}`);
    if (fault !== null) throw new Error(fault);
  };
  try {
    let round = 0;
    do {
      // A run of fast-check has this many connections. The number of requests in them is only known
      // afterwards.
      const result = await fc.check(fc.asyncProperty(attack, strike), {
        seed: seed + round,
        numRuns: path === undefined ? Math.max(1, Math.ceil((requests - sent) / 2)) : 1,
        ...(path !== undefined && { path }),
        endOnFailure: path !== undefined,
      });
      if (result.failed && result.counterexample)
        return {
          ...{ seed: seed + round, connections, requests: sent, statuses },
          failure: {
            fault: String((result.errorInstance as Error).message),
            attack: result.counterexample[0],
            path: result.counterexamplePath ?? "",
          },
        };
      round += 1;
    } while (path === undefined && sent < requests);
    if (!(await targets.areWell())) throw new Error("a server is no longer well");
    return { seed, connections, requests: sent, statuses, failure: null };
  } finally {
    await targets.close();
  }
}
