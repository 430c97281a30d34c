import type { StoreSettings } from "../config.ts";
import type { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import { storeAdvice } from "../store/lazy-store.ts";

const QUIET_MS = 60_000;
const FULL_DISK =
  "The disk or quota of DATA_DIR is full: free some space. Nothing needs a restart, and no payment is lost.";

/** Creates the reporter for a store that fails while in use, which logs one line a minute, with advice. */
export function createStoreReporter(
  kind: StoreSettings["kind"],
  now: () => number = () => performance.now(),
): (error: CodedError) => void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (now() - reportedAtMs < QUIET_MS) return;
    reportedAtMs = now();
    const cause = String((error.cause as Error | undefined)?.message);
    const advice = /SQLITE_(FULL|IOERR)|ENOSPC|EDQUOT/.test(cause) ? FULL_DISK : storeAdvice[kind];
    log().error({ cause }, `the store failed: requests get 503 until it works again. ${advice}`);
  };
}
