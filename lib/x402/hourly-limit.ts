const HOUR_MS = 3_600_000;

/** Limits what is done in an hour. */
export type HourlyLimit = {
  isReached(): boolean;
  /** Counts one more. */
  count(): void;
};

/** Creates the limit. `now` is a monotonic clock in ms. */
export function createHourlyLimit(most: number, now: () => number = () => performance.now()): HourlyLimit {
  let countedAtMs: number[] = [];
  return {
    isReached() {
      countedAtMs = countedAtMs.filter((ms) => now() - ms < HOUR_MS);
      return countedAtMs.length >= most;
    },
    count: () => void countedAtMs.push(now()),
  };
}
