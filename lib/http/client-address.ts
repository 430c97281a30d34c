import { randomUUID } from "node:crypto";
import type { RequestHead } from "./request-head.ts";

/** Set by the dispatcher alone: no client knows the name, which is another in each process. */
export const CLIENT_ADDRESS_HEADER = `x-client-${randomUUID()}`;

/** The caller's network address, or `unknown` where no dispatcher of ours stands in front. */
export function clientAddressOf(request: RequestHead): string {
  return request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
}
