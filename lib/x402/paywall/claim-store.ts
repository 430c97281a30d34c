import { answerWithin } from "../../async/time-limits.ts";
import type { Store } from "../../store/store.ts";
import { warn } from "../check-options.ts";
import { createMemoryStore } from "../memory-store.ts";

/** The store methods that claims need. */
export type ClaimStore = Pick<Store, "get" | "setIfAbsent" | "replace" | "deleteIf">;

const warning =
  "A paywall remembers deliveries in memory only: give it a `dataDir`, which survives a restart, or a `redisUrl` (or `store`) that all its servers share.";

let hasWarned = false;

/** Creates a claim store in this process; warns once. `now` is a monotonic clock in ms. */
export function createMemoryClaimStore(now?: () => number): ClaimStore {
  if (!hasWarned) {
    hasWarned = true;
    warn(warning, "HIVEGATE_MEMORY_CLAIMS");
  }
  return createMemoryStore(now);
}

/** A seller's own store may have no deadline, so later answers are treated as lost. */
const TIMEOUT_MS = 5000;

/** Thrown if the store cannot be reached; the `cause` has the reason. */
export class ClaimStoreError extends Error {
  override readonly name = "ClaimStoreError";
}

/**
 * Adds a deadline of five seconds to each call of the store. All methods reject with ClaimStoreError if it cannot be
 * reached.
 */
export function guardStore(store: ClaimStore): ClaimStore {
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await answerWithin(TIMEOUT_MS, work);
    } catch (cause) {
      throw new ClaimStoreError("the claim store does not answer", { cause });
    }
  };
  return {
    get: (key) => guard(() => store.get(key)),
    setIfAbsent: (...given) => guard(() => store.setIfAbsent(...given)),
    replace: (...given) => guard(() => store.replace(...given)),
    deleteIf: (...given) => guard(() => store.deleteIf(...given)),
  };
}
