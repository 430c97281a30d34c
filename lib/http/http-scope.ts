import type { TracingSettings } from "../config.ts";
import { createTracing, type Tracing } from "../tracing.ts";
import type { Origins } from "./headers.ts";
import { createTokenBuckets, type TokenBuckets } from "./rate-limit.ts";
import { createTokenTrust, type TokenTrust } from "./token.ts";

const MAX_BUCKETS = 20_000;

export type HttpSettings = Origins & {
  /** The number of trusted proxies in front of the server. */
  readonly trustProxy: number;
  readonly rateLimits: boolean;
  readonly tracing: TracingSettings | null;
};

/**
 * State that all requests of one server share: its settings, its callers' quotas, its traces, and whether it is
 * shutting down.
 */
export type HttpScope = Omit<HttpSettings, "tracing"> & {
  readonly quotas: TokenBuckets;
  readonly tokens: TokenTrust;
  /** Null if nothing is traced. */
  readonly tracing: Tracing | null;
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
    tracing: settings.tracing && createTracing(settings.tracing),
    isDraining: false,
  };
}
