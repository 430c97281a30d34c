import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import type { RequestHead } from "./client-address.ts";

/** Whose pages may use the cookie. */
export type Origins = Pick<Config, "publicUrl" | "allowedOrigins">;

const allowed = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a browser page of that origin may use the cookie from another site. */
export function isAllowedOrigin(origin: string, { allowedOrigins }: Origins): boolean {
  let known = allowed.get(allowedOrigins);
  if (!known) {
    known = new Set(allowedOrigins.map((address) => new URL(address).origin));
    allowed.set(allowedOrigins, known);
  }
  return known.has(origin);
}

const isUnsafe = (method: string) => !["GET", "HEAD", "OPTIONS"].includes(method);

/**
 * Refuses a state-changing request that came with the cookie from a page of somebody else.
 * @throws CodedError `forbidden`
 */
export function refuseCrossSite(request: RequestHead, settings: Origins): void {
  if (!isUnsafe(request.method) || isFromOwnSite(request, settings)) return;
  throw new CodedError("forbidden", { message: "A request with the cookie must come from this site." });
}

/** Whether a page of ours or of an allowed origin sent the request. */
export function isFromOwnSite(request: RequestHead, settings: Origins): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return true;
  const origin = request.headers.get("origin");
  return origin !== null && (isOwnOrigin(origin, request, settings) || isAllowedOrigin(origin, settings));
}

function isOwnOrigin(origin: string, request: RequestHead, { publicUrl }: Origins): boolean {
  return origin === new URL(publicUrl).origin || origin === new URL(request.url).origin;
}
