import { type AnswerHeaders, appendHeader } from "./answer.ts";
import { isAllowedOrigin, type Origins } from "./origin.ts";
import type { RequestHeaders } from "./request-head.ts";

const EXPOSED =
  "x-request-id, ratelimit, ratelimit-policy, retry-after, etag, x-payment, x-payment-response, payment-required, payment-response";
const METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const REQUEST_HEADERS =
  "authorization, content-type, if-none-match, idempotency-key, x-payment, payment-signature, x-request-id, x-requested-with";
const PREFLIGHT_SECONDS = "7200";

/** Adds who may read the answer: anybody who brings a token himself, and the allowed origins with the cookie. */
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

/** Adds what a cross-origin request may be like. */
export function setPreflightHeaders(headers: AnswerHeaders): void {
  headers.set("access-control-allow-methods", METHODS);
  headers.set("access-control-allow-headers", REQUEST_HEADERS);
  headers.set("access-control-max-age", PREFLIGHT_SECONDS);
}
