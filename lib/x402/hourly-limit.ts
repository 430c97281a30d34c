const HOUR_MS = 3_600_000;

/** Limits what is done in an hour. */
export type HourlyLimit = {
  /** Returns whether the limit is reached, or the given part of it, which is 1 for all. */
  isReached(part?: number): boolean;
  /** Counts one more. */
  count(): void;
};

/** Creates the limit. `now` is a monotonic clock in ms. */
export function createHourlyLimit(most: number, now: () => number = () => performance.now()): HourlyLimit {
  let countedAtMs: number[] = [];
  return {
    isReached(part = 1) {
      countedAtMs = countedAtMs.filter((ms) => now() - ms < HOUR_MS);
      return countedAtMs.length >= most * part;
    },
    count: () => void countedAtMs.push(now()),
  };
}
