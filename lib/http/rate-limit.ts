import { createHash } from "node:crypto";
import { processWide } from "../async/process-wide.ts";
import { CodedError } from "../errors.ts";
import { type AnswerHeaders, appendHeader } from "./answer.ts";
import { createTokenBuckets, type TokenBuckets } from "./token-buckets.ts";

/**
 * A quota of `requests` per `windowSeconds`, counted by client address, by PAT, or by what a function finds in the
 * valid body (null: not counted). Those of the body are checked after it was read, the others before.
 */
export type RateLimit<Body = unknown> = {
  name: string;
  requests: number;
  windowSeconds: number;
  by: "client" | "pat" | ((body: Body, clientAddress: string) => string | null);
};

/** What one PAT may change. */
export const writeLimit = { name: "writes", requests: 10, windowSeconds: 1 };

const MAX_BUCKETS = 20_000;

const sharedBuckets = () => processWide("rate-limits", () => createTokenBuckets(MAX_BUCKETS));

/**
 * Takes one request from the quota of `subject` and adds the `RateLimit` headers.
 * @throws CodedError `rate_limited`, which has them itself
 */
export function spendQuota(
  limit: Omit<RateLimit<never>, "by">,
  subject: string,
  headers: AnswerHeaders,
  buckets: TokenBuckets = sharedBuckets(),
): void {
  const quota = takeFrom(limit, subject, buckets, 1);
  for (const [name, value] of Object.entries(quota)) appendHeader(headers, name, value);
}

/**
 * Refuses when the quota of `subject` has nothing left, and takes nothing from it.
 * @throws CodedError `rate_limited`
 */
export function requireQuota(
  limit: Omit<RateLimit<never>, "by">,
  subject: string,
  buckets: TokenBuckets = sharedBuckets(),
): void {
  takeFrom(limit, subject, buckets, 0);
}

function takeFrom(
  { name, requests, windowSeconds }: Omit<RateLimit<never>, "by">,
  subject: string,
  buckets: TokenBuckets,
  cost: 0 | 1,
): Record<string, string> {
  const key = `${name}:${createHash("sha256").update(subject).digest("base64url")}`;
  const { isTaken, remaining, fullInSeconds, nextInSeconds } = buckets.take(
    key,
    requests,
    windowSeconds,
    cost,
  );
  const quota = {
    "ratelimit-policy": `"${name}";q=${requests};w=${windowSeconds}`,
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(fullInSeconds)}`,
  };
  if (isTaken) return quota;
  throw new CodedError("rate_limited", {
    headers: quota,
    retryAfterSeconds: Math.max(1, Math.ceil(nextInSeconds)),
  });
}
