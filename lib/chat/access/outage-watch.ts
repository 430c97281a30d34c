import type { MattermostCall } from "../../mattermost/mattermost.ts";

/** An outage can still cause false refusals for this long after the last failure. */
const AFTERMATH_MS = 5000;
/** If only one kind of call keeps failing, the fault lies in that call; an outage affects several kinds. */
const FEWEST_ROUTES = 3;

export type OutageWatch = {
  /** Records the outcome of a call to Mattermost. */
  note(call: Pick<MattermostCall, "method" | "route" | "isBroken">): void;
  /** Returns whether Mattermost failed calls to three different routes within the last 5 seconds. */
  isRecent(): boolean;
  /** Returns whether Mattermost failed any call within the last 5 seconds. */
  isSuspected(): boolean;
};

/** Detects outages of Mattermost or its database from failing calls. `now` is a monotonic clock in ms. */
export function createOutageWatch(now: () => number = () => performance.now()): OutageWatch {
  const failedAtMs = new Map<string, number>();
  const forgetOld = () => {
    const since = now() - AFTERMATH_MS;
    for (const [route, atMs] of failedAtMs) if (atMs < since) failedAtMs.delete(route);
  };
  const failedAtLeast = (routes: number) => {
    forgetOld();
    return failedAtMs.size >= routes;
  };
  return {
    note({ method, route, isBroken }) {
      if (!isBroken) return;
      forgetOld();
      failedAtMs.set(`${method} ${route}`, now());
    },
    isRecent: () => failedAtLeast(FEWEST_ROUTES),
    isSuspected: () => failedAtLeast(1),
  };
}
