import { randomUUID } from "node:crypto";

const wellFormed = /^[\w=-]{1,128}$/;

/** The caller's `x-request-id` where it is well-formed, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && wellFormed.test(given) ? given : randomUUID();
}
