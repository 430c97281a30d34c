import { randomUUID } from "node:crypto";

import type { RequestHeaders } from "./request-head.ts";

const wellFormed = /^[\w=-]{1,128}$/;

/** The caller's `x-request-id` where it is well-formed, else a new one. */
export function requestIdOf(request: { headers: RequestHeaders }): string {
  const given = request.headers.get("x-request-id");
  return given !== null && wellFormed.test(given) ? given : randomUUID();
}
