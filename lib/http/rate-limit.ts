import { createHash } from "node:crypto";
import { forgetOldest } from "../async/cache.ts";
import { CodedError } from "../errors.ts";
import { type AnswerHeaders, appendHeader } from "./headers.ts";

/**
 * A quota of `requests` per `windowSeconds`, counted by client address, by the person behind the PAT, whatever other
 * PATs they have, or by what a function finds in the valid body (null: not counted). Those of the body are checked after it
 * was read, the others before.
 */
export type RateLimit<Body = unknown> = {
  name: string;
  requests: number;
  windowSeconds: number;
  by: "client" | "person" | ((body: Body, clientAddress: string) => string | null);
  /** What a function counts by, in words. */
  per?: string;
};

/** What one person may change. */
export const writeLimit = { name: "writes", requests: 10, windowSeconds: 1, by: "person" } as const;

/**
 * Takes one request from the quota of `subject`, adds the `RateLimit` headers and returns how many are left.
 * @throws CodedError `rate_limited`, which has them itself
 */
export function spendQuota(
  limit: Omit<RateLimit<never>, "by">,
  subject: string,
  headers: AnswerHeaders,
  buckets: TokenBuckets,
): number {
  const { told, remaining } = takeFrom(limit, subject, buckets, 1);
  for (const [name, value] of Object.entries(told)) appendHeader(headers, name, value);
  return remaining;
}

/**
 * Refuses when the quota of `subject` has nothing left, and takes nothing from it.
 * @throws CodedError `rate_limited`
 */
export function requireQuota(
  limit: Omit<RateLimit<never>, "by">,
  subject: string,
  buckets: TokenBuckets,
): void {
  takeFrom(limit, subject, buckets, 0);
}

function takeFrom(
  limit: Omit<RateLimit<never>, "by">,
  subject: string,
  buckets: TokenBuckets,
  cost: 0 | 1,
): { told: Record<string, string>; remaining: number } {
  const { name, requests, windowSeconds } = limit;
  const key = createHash("sha256").update(subject).digest("base64url");
  const { isTaken, remaining, fullInSeconds, nextInSeconds } = buckets.take(limit, key, cost);
  const told = {
    "ratelimit-policy": `"${name}";q=${requests};w=${windowSeconds}`,
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(fullInSeconds)}`,
  };
  if (isTaken) return { told, remaining };
  throw new CodedError("rate_limited", {
    headers: told,
    retryAfterSeconds: Math.max(1, Math.ceil(nextInSeconds)),
  });
}

type Bucket = { tokens: number; at: number };

type Taken = { isTaken: boolean; remaining: number; fullInSeconds: number; nextInSeconds: number };

export type TokenBuckets = {
  /** Takes a token of the quota from the bucket `key`, or with `cost` 0 only looks whether there is one. */
  take(quota: Omit<RateLimit<never>, "by">, key: string, cost?: 0 | 1): Taken;
};

/**
 * Token buckets in memory, at most `maxBuckets` of a quota; beyond that its longest unused one is forgotten. Each quota
 * has its own, as anybody can make up tokens and names without end. `now` is a monotonic clock in ms.
 */
export function createTokenBuckets(
  maxBuckets: number,
  now: () => number = () => performance.now(),
): TokenBuckets {
  const byQuota = new Map<string, Map<string, Bucket>>();
  return {
    take({ name, requests: capacity, windowSeconds }, key, cost = 1) {
      const buckets = byQuota.get(name) ?? new Map<string, Bucket>();
      byQuota.set(name, buckets);
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
      forgetOldest(buckets, maxBuckets);
      return {
        isTaken,
        remaining: Math.floor(left),
        fullInSeconds: (capacity - left) / perSecond,
        nextInSeconds: isTaken ? 0 : (1 - left) / perSecond,
      };
    },
  };
}
