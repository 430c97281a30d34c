import { createHash } from "node:crypto";
import { CodedError } from "../errors.ts";
import { processWide } from "../process-wide.ts";
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

/**
 * Takes one request from the quota of `subject` and adds the `RateLimit` headers.
 * @throws CodedError `rate_limited`, which has them itself
 */
export function spendQuota(
  limit: Omit<RateLimit<never>, "by">,
  subject: string,
  headers: AnswerHeaders,
  buckets: TokenBuckets = processWide("rate-limits", () => createTokenBuckets(MAX_BUCKETS)),
): void {
  const key = `${limit.name}:${createHash("sha256").update(subject).digest("base64url")}`;
  const { isTaken, remaining, fullInSeconds, nextInSeconds } = buckets.take(
    key,
    limit.requests,
    limit.windowSeconds,
  );
  const quota = {
    "ratelimit-policy": `"${limit.name}";q=${limit.requests};w=${limit.windowSeconds}`,
    ratelimit: `"${limit.name}";r=${remaining};t=${Math.ceil(fullInSeconds)}`,
  };
  if (!isTaken)
    throw new CodedError("rate_limited", {
      headers: quota,
      retryAfterSeconds: Math.max(1, Math.ceil(nextInSeconds)),
    });
  for (const [name, value] of Object.entries(quota)) appendHeader(headers, name, value);
}
