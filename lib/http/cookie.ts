import type { RequestHeaders } from "./request-head.ts";

/** The first cookie of that name, undefined when there is none. */
export function readCookie(headers: RequestHeaders, name: string): string | undefined {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
