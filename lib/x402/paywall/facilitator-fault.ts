import { warn } from "../check-options.ts";

const QUIET_MS = 60_000;

/** Problems with a facilitator's address, with advice. */
const advice = {
  unreachable: "does not answer: start it, or correct facilitatorUrl",
  elsewhere: "redirects: give the address that it leads to",
  missing:
    "is not there (404): facilitatorUrl is the address before /verify, of a gateway https://.../api/x402",
  refused: "refuses this server: ask its operator who may call it",
  failing: "fails: look at its log and its /health",
  otherChain: "serves another chain: correct facilitatorUrl, or the network that is sold on",
  malformed: "does not answer as a facilitator: correct facilitatorUrl",
} as const;

export type FacilitatorFault = keyof typeof advice;

/** Creates the reporter of a facilitator's faults, which warns the seller at most once a minute. */
export function createFaultReporter(
  url: string,
  now: () => number = () => performance.now(),
): (fault: FacilitatorFault) => void {
  // Other parts of an address can carry credentials.
  const { origin, pathname } = new URL(url);
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return (fault) => {
    if (now() - warnedAtMs < QUIET_MS) return;
    warnedAtMs = now();
    warn(
      `The facilitator at ${origin}${pathname} ${advice[fault]}. Nobody can buy until then.`,
      "HIVEGATE_FACILITATOR",
    );
  };
}
