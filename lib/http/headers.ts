import type { AnswerHeaders } from "./answer.ts";

const NOTHING_MAY_RUN = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** What every answer of the API carries; the handler's own `cache-control` stays. */
export function setCommonHeaders(headers: AnswerHeaders, requestId: string): void {
  headers.set("x-request-id", requestId);
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", NOTHING_MAY_RUN);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
