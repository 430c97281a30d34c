import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { PushedBody } from "../async/pushed-body.ts";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import type { RequestHead, RequestHeaders } from "./client-address.ts";

/** The headers of an answer: those of a `Response`, or a map with lower-case names. */
export type AnswerHeaders = {
  get(name: string): string | null | undefined;
  has(name: string): boolean;
  set(name: string, value: string): unknown;
  forEach(visit: (value: string, name: string) => void): void;
  [Symbol.iterator](): Iterator<[string, string]>;
};

/**
 * An outgoing answer: a `Response`, or a text or bytes that skip `Response`, because its streams cost more than
 * what they carry.
 */
export type Answer = {
  status: number;
  headers: AnswerHeaders;
  body: ReadableStream<Uint8Array> | PushedBody | Uint8Array | string | null;
};

/** Prepends a value to those of a header. */
export function prependHeader(headers: AnswerHeaders, name: string, value: string): void {
  const present = headers.get(name);
  headers.set(name, present ? `${value}, ${present}` : value);
}

/** Appends a value to those of a header. */
export function appendHeader(headers: AnswerHeaders, name: string, value: string): void {
  const present = headers.get(name);
  headers.set(name, present ? `${present}, ${value}` : value);
}

const NOTHING_MAY_RUN = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Sets the headers of every API answer, but keeps the handler's `cache-control`. */
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
  "authorization, content-type, if-none-match, idempotency-key, x-payment, payment-signature, sign-in-with-x, x-request-id, x-requested-with";
const PREFLIGHT_SECONDS = "7200";

/**
 * Adds the CORS headers: any page with a token can read the answer, and only pages of the allowed origins can
 * use the cookie.
 */
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

/** Answers `OPTIONS` for any served path, from any origin. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": REQUEST_HEADERS,
      "access-control-max-age": PREFLIGHT_SECONDS,
    },
  });
}

const wellFormed = /^[\w=-]{1,128}$/;

/** Returns the caller's `x-request-id` if it is well-formed, otherwise a new one. */
export function requestIdOf(request: { headers: RequestHeaders }): string {
  const given = request.headers.get("x-request-id");
  return given !== null && wellFormed.test(given) ? given : randomUUID();
}

/** The origins whose pages are allowed to use the cookie. */
export type Origins = Pick<Config, "publicUrl" | "allowedOrigins">;

const allowed = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Returns whether browser pages of that origin are allowed to use the cookie across sites. */
function isAllowedOrigin(origin: string, { allowedOrigins }: Origins): boolean {
  let known = allowed.get(allowedOrigins);
  if (!known) {
    known = new Set(allowedOrigins.map((address) => new URL(address).origin));
    allowed.set(allowedOrigins, known);
  }
  return known.has(origin);
}

const isUnsafe = (method: string) => !["GET", "HEAD", "OPTIONS"].includes(method);

/**
 * Refuses a state-changing request that carries the cookie from a page of another site.
 * @throws CodedError `forbidden`
 */
export function assertSameSite(request: RequestHead, settings: Origins): void {
  if (!isUnsafe(request.method) || isFromOwnSite(request, settings)) return;
  throw new CodedError("forbidden", { message: "A request with a cookie must come from this site." });
}

/** Returns whether a page of this server or of an allowed origin sent the request. */
export function isFromOwnSite(request: RequestHead, settings: Origins): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return true;
  const origin = request.headers.get("origin");
  return origin !== null && (isOwnOrigin(origin, request, settings) || isAllowedOrigin(origin, settings));
}

/**
 * Returns the origin of another site's page that sent the request, or null if none did. Without https, any site can have
 * its name resolve to this server, so a name other than this server's counts as another site.
 */
export function otherOriginOf(request: RequestHead, settings: Origins): string | null {
  if (!isFromOwnSite(request, settings)) return request.headers.get("origin");
  const { publicUrl } = settings;
  const { host, hostname, origin } = new URL(request.url);
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, "")) === 0 && hostname !== "localhost";
  const isOther = host !== new URL(publicUrl).host && !isAllowedOrigin(origin, settings);
  return publicUrl.startsWith("http:") && isNamed && isOther ? origin : null;
}

function isOwnOrigin(origin: string, request: RequestHead, { publicUrl }: Origins): boolean {
  return origin === new URL(publicUrl).origin || origin === new URL(request.url).origin;
}
