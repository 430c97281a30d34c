import { createHash, timingSafeEqual } from "node:crypto";
import type { TracingSettings } from "../config.ts";
import { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import { metrics } from "../metrics.ts";
import type { Secret } from "../secret.ts";
import { createTracing, type Tracing } from "../tracing.ts";
import type { Origins } from "./headers.ts";
import { createTokenBuckets, type TokenBuckets } from "./rate-limit.ts";
import { methods } from "./route-table.ts";
import { createTokenTrust, type TokenTrust } from "./token.ts";

/** The status, in log and metrics, of an answer whose client did not wait for it. */
export const CLIENT_GONE = 499;

/** Writes the one log line of a request, with its route but never its query or token. */
export function logRequest(answered: {
  requestId: string;
  method: string | undefined;
  route: string;
  status: number;
  ms: number;
  /** True if the client did not wait for the answer. */
  isGone: boolean;
  failure: unknown;
}): void {
  const { requestId, method, route, status, ms, isGone, failure } = answered;
  const coded = failure instanceof CodedError ? failure : undefined;
  const isBug = failure !== undefined && !isGone && (coded === undefined || coded.code === "internal");
  const entry = {
    requestId,
    method,
    route,
    status: isGone ? CLIENT_GONE : status,
    ms: Math.round(ms * 10) / 10,
    ...(isGone && { gone: true }),
    ...(coded && { code: coded.code }),
    ...(isBug && { err: failure }),
    ...(coded && status >= 500 && coded.cause !== undefined && { cause: causeOf(coded.cause) }),
  };
  if (isBug) log().error(entry, "request failed");
  else log().info(entry, "request");
}

/** Counts a request whose answer has been sent. */
export function countRequest(
  method: string | undefined,
  { route, status, ms }: { route: string; status: number; ms: number },
): void {
  metrics()
    .httpSeconds.labels(labelOfMethod(method), route, String(status))
    .observe(ms / 1000);
}

/** Maps a method to one of few labels: Node's parser lets clients choose among three dozen. */
export const labelOfMethod = (method: string | undefined) =>
  methods.find((known) => known === method) ?? "other";

/** Returns the names of errors only, because their texts may quote the other side. */
function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const code = (cause as { code?: unknown }).code;
  return typeof code === "string" ? `${cause.name} ${code}` : cause.name;
}

const MAX_BUCKETS = 20_000;

export type HttpSettings = Origins & {
  /** The number of trusted proxies in front. */
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
  readonly tracing: Tracing;
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
    tracing: createTracing(settings.tracing),
    isDraining: false,
  };
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Serves the process's metrics for Prometheus to callers with the token. Without a configured token, the path does not
 * exist.
 * @throws CodedError `not_found`, `unauthorized`
 */
export async function serveMetrics(request: Request, token: Secret | null): Promise<Response> {
  if (!token) throw new CodedError("not_found");
  const expected = digest(`Bearer ${token.reveal()}`);
  if (!timingSafeEqual(digest(request.headers.get("authorization") ?? ""), expected))
    throw new CodedError("unauthorized");
  const { registry } = metrics();
  return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
}
