import { setMaxListeners } from "node:events";
import { firstOf } from "./time-limits.ts";

/** A limit that several calls share. */
export type SharedLimit = {
  timeout: AbortSignal;
  /** Returns the signal that aborts with the first of the limit, its owner's end and the caller's signals. */
  under(one: AbortSignal | undefined, other?: AbortSignal): AbortSignal;
};

/**
 * Creates a limit for calls that begin together, whose owner ends with `closing`. Calls with the same signal share
 * the combined one. Each call holds a reference to `timeout`, for the reason that `underSignals` has.
 */
export function createSharedLimit(timeout: AbortSignal, closing: AbortSignal): SharedLimit {
  const combined = new Map<AbortSignal | undefined, AbortSignal>();
  const combine = (...callers: AbortSignal[]) => {
    const until = firstOf([timeout, closing, ...callers]);
    // Node would report the listeners of more than ten calls as a leak.
    setMaxListeners(0, until);
    return until;
  };
  return {
    timeout,
    under(one, other) {
      if (one && other && one !== other) return combine(one, other);
      const caller = one ?? other;
      const until = combined.get(caller) ?? (caller ? combine(caller) : combine());
      combined.set(caller, until);
      return until;
    },
  };
}
