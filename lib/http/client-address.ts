import type { RequestHead } from "./request-head.ts";

/** Set by the dispatcher alone, which removes what a client sent under this name. */
export const CLIENT_ADDRESS_HEADER = "x-hivegate-client";

/** The caller's network address, or `unknown` where no dispatcher of ours stands in front. */
export function clientAddressOf(request: RequestHead): string {
  return request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
}
