type Bucket = { tokens: number; at: number };

type Taken = { isTaken: boolean; remaining: number; fullInSeconds: number; nextInSeconds: number };

export type TokenBuckets = {
  /** Takes a token, or with `cost` 0 only looks whether there is one. */
  take(key: string, capacity: number, windowSeconds: number, cost?: 0 | 1): Taken;
};

/** Token buckets in memory, at most `maxBuckets`; beyond that the longest unused one is forgotten. `now` is a monotonic clock in ms. */
export function createTokenBuckets(
  maxBuckets: number,
  now: () => number = () => performance.now(),
): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  return {
    take(key, capacity, windowSeconds, cost = 1) {
      const perSecond = capacity / windowSeconds;
      const present = buckets.get(key);
      const at = now();
      const elapsedSeconds = present ? Math.max(0, at - present.at) / 1000 : 0;
      const tokens = present ? Math.min(capacity, present.tokens + elapsedSeconds * perSecond) : capacity;
      const isTaken = tokens >= 1;
      const left = isTaken ? tokens - cost : tokens;
      // Deleted first, so that the map stays in order of use.
      buckets.delete(key);
      buckets.set(key, { tokens: left, at });
      const oldest = buckets.size > maxBuckets ? buckets.keys().next().value : undefined;
      if (oldest !== undefined) buckets.delete(oldest);
      return {
        isTaken,
        remaining: Math.floor(left),
        fullInSeconds: (capacity - left) / perSecond,
        nextInSeconds: isTaken ? 0 : (1 - left) / perSecond,
      };
    },
  };
}
