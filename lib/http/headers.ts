import { randomUUID } from "node:crypto";
import { type AnswerHeaders, appendHeader } from "./answer.ts";
import type { RequestHeaders } from "./client-address.ts";
import { isAllowedOrigin, type Origins } from "./origin.ts";

const NOTHING_MAY_RUN = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** What every answer of the API carries; the handler's own `cache-control` stays. */
export function setCommonHeaders(headers: AnswerHeaders, requestId: string): void {
  headers.set("x-request-id", requestId);
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", NOTHING_MAY_RUN);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}

const EXPOSED =
  "x-request-id, ratelimit, ratelimit-policy, retry-after, etag, x-payment, x-payment-response, payment-required, payment-response";
const METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const REQUEST_HEADERS =
  "authorization, content-type, if-none-match, idempotency-key, x-payment, payment-signature, x-request-id, x-requested-with";
const PREFLIGHT_SECONDS = "7200";

/** Adds who may read the answer: anybody who brings a token themselves, and the allowed origins with the cookie. */
export function setCorsHeaders(
  headers: AnswerHeaders,
  request: { headers: RequestHeaders },
  settings: Origins,
): void {
  const origin = request.headers.get("origin");
  appendHeader(headers, "vary", "Origin");
  headers.set("access-control-expose-headers", EXPOSED);
  if (origin !== null && isAllowedOrigin(origin, settings)) {
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-allow-credentials", "true");
  } else headers.set("access-control-allow-origin", "*");
}

/** Answers `OPTIONS` of a path that is served, to whoever asks. */
export function preflight(request: { headers: RequestHeaders }, origins: Origins): Response {
  const response = new Response(null, { status: 204 });
  setCommonHeaders(response.headers, requestIdOf(request));
  setCorsHeaders(response.headers, request, origins);
  response.headers.set("access-control-allow-methods", METHODS);
  response.headers.set("access-control-allow-headers", REQUEST_HEADERS);
  response.headers.set("access-control-max-age", PREFLIGHT_SECONDS);
  return response;
}

const wellFormed = /^[\w=-]{1,128}$/;

/** The caller's `x-request-id` where it is well-formed, else a new one. */
export function requestIdOf(request: { headers: RequestHeaders }): string {
  const given = request.headers.get("x-request-id");
  return given !== null && wellFormed.test(given) ? given : randomUUID();
}
