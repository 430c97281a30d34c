import type { MattermostCall } from "../../mattermost/mattermost.ts";

/** How long after its last sign an outage may still make Mattermost refuse what it would otherwise allow. */
const AFTERMATH_MS = 5000;
/** One call that always fails is a fault of that call; an outage fails several. */
const FEWEST_ROUTES = 3;

export type OutageWatch = {
  /** Takes note of how a call to Mattermost ended. */
  note(call: Pick<MattermostCall, "method" | "route" | "isBroken">): void;
  /** Whether Mattermost failed calls of three routes within the last 5 seconds. */
  isRecent(): boolean;
  /** Whether Mattermost failed any call within the last 5 seconds. */
  isSuspected(): boolean;
};

/** Watches for outages of Mattermost or its database by the calls that fail; `now` is a monotonic clock in ms. */
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
