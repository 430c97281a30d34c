import type { Origins } from "./headers.ts";
import { createTokenBuckets, type TokenBuckets } from "./rate-limit.ts";
import { createTokenTrust, type TokenTrust } from "./token.ts";

const MAX_BUCKETS = 20_000;

export type HttpSettings = Origins & {
  /** How many proxies stand in front. */
  readonly trustProxy: number;
  readonly rateLimits: boolean;
};

/** What all requests of one server share: its settings, its callers' quotas, and whether it is shutting down. */
export type HttpScope = HttpSettings & {
  readonly quotas: TokenBuckets;
  readonly tokens: TokenTrust;
  isDraining: boolean;
};

export function createHttpScope(settings: HttpSettings): HttpScope {
  const { publicUrl, allowedOrigins, trustProxy, rateLimits } = settings;
  const quotas = createTokenBuckets(MAX_BUCKETS);
  return {
    publicUrl,
    allowedOrigins,
    trustProxy,
    rateLimits,
    quotas,
    tokens: createTokenTrust(quotas),
    isDraining: false,
  };
}
