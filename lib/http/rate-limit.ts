import { createHash } from "node:crypto";
import { forgetOldest } from "../async/cache.ts";
import { CodedError } from "../errors.ts";
import { type AnswerHeaders, appendHeader } from "./headers.ts";

/**
 * A quota of `requests` per `windowSeconds`. Requests are counted by client address, by the person behind the
 * PAT (across all their PATs), or by the result of a function over the valid body (null: not counted). Quotas
 * of the last kind are checked once the body has been read, the others earlier.
 */
export type RateLimit<Body = unknown> = {
  name: string;
  requests: number;
  windowSeconds: number;
  by: "client" | "person" | ((body: Body, clientAddress: string) => string | null);
  /** Names the subject by which the function counts. */
  per?: string;
};

/** The quota of one person's writes. */
export const writeLimit = { name: "writes", requests: 10, windowSeconds: 1, by: "person" } as const;

/**
 * Spends one request from the quota of `subject` and adds the `RateLimit` headers.
 * @throws CodedError `rate_limited`, which carries these headers itself
 */
export function spendQuota(
  limit: Quota,
  subject: string,
  headers: AnswerHeaders,
  buckets: TokenBuckets,
): void {
  const told = quotaHeaders(limit, takeFrom(limit, subject, buckets, 1));
  for (const [name, value] of Object.entries(told)) appendHeader(headers, name, value);
}

/**
 * Refuses if the quota of `subject` is exhausted, and spends nothing.
 * @throws CodedError `rate_limited`
 */
export function requireQuota(limit: Quota, subject: string, buckets: TokenBuckets): void {
  takeFrom(limit, subject, buckets, 0);
}

function takeFrom(limit: Quota, subject: string, buckets: TokenBuckets, cost: 0 | 1): Taken {
  const key = createHash("sha256").update(subject).digest("base64url");
  const taken = buckets.take(limit, key, cost);
  if (!taken.isTaken) throw overQuota(limit, taken);
  return taken;
}

/** Creates the refusal for an exhausted quota. */
export function overQuota(limit: Quota, taken: Taken): CodedError {
  return new CodedError("rate_limited", {
    headers: quotaHeaders(limit, taken),
    retryAfterSeconds: Math.max(1, Math.ceil(taken.nextInSeconds)),
  });
}

function quotaHeaders(
  { name, requests, windowSeconds }: Quota,
  { remaining, fullInSeconds }: Taken,
): Record<string, string> {
  return {
    "ratelimit-policy": `"${name}";q=${requests};w=${windowSeconds}`,
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(fullInSeconds)}`,
  };
}

export type Quota = Omit<RateLimit<never>, "by">;

/** The tokens left of a quota at the time `at` in ms. */
export type Bucket = { tokens: number; at: number };

type Taken = { isTaken: boolean; remaining: number; fullInSeconds: number; nextInSeconds: number };

/**
 * Takes `cost` tokens at the time `at` from a bucket that fills evenly and starts full, if it holds at least one.
 */
export function takeToken(
  { requests: capacity, windowSeconds }: Quota,
  present: Bucket | undefined,
  at: number,
  cost: 0 | 1 = 1,
): Taken & { bucket: Bucket } {
  const perSecond = capacity / windowSeconds;
  const elapsedSeconds = present ? Math.max(0, at - present.at) / 1000 : 0;
  const tokens = present ? Math.min(capacity, present.tokens + elapsedSeconds * perSecond) : capacity;
  const isTaken = tokens >= 1;
  const left = isTaken ? tokens - cost : tokens;
  return {
    bucket: { tokens: left, at },
    isTaken,
    remaining: Math.floor(left),
    fullInSeconds: (capacity - left) / perSecond,
    nextInSeconds: isTaken ? 0 : (1 - left) / perSecond,
  };
}

export type TokenBuckets = {
  /** Takes a token of the quota from the bucket `key`; with `cost` 0, only checks whether there is one. */
  take(quota: Quota, key: string, cost?: 0 | 1): Taken;
};

/**
 * Creates token buckets in memory, up to `maxBuckets` per quota; beyond that, the least recently used is
 * dropped. Each quota has its own map, because anyone can invent any number of tokens and names. `now` is a
 * monotonic clock in ms.
 */
export function createTokenBuckets(
  maxBuckets: number,
  now: () => number = () => performance.now(),
): TokenBuckets {
  const byQuota = new Map<string, Map<string, Bucket>>();
  return {
    take(quota, key, cost = 1) {
      const buckets = byQuota.get(quota.name) ?? new Map<string, Bucket>();
      byQuota.set(quota.name, buckets);
      const { bucket, ...taken } = takeToken(quota, buckets.get(key), now(), cost);
      // Deleted first, so that the map stays in order of use.
      buckets.delete(key);
      buckets.set(key, bucket);
      forgetOldest(buckets, maxBuckets);
      return taken;
    },
  };
}
