import type { IncomingMessage } from "node:http";
import { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import { setCorsHeaders } from "./cors.ts";
import { errorResponse } from "./error-response.ts";
import { setCommonHeaders } from "./headers.ts";
import type { Origins } from "./origin.ts";
import { requestIdOf } from "./request-id.ts";

/** What an answer that no route function made goes by; the request itself may be no good. */
export type Asked = { request: Request; method: string | undefined; origins: Origins };

const nobodys: Origins = { publicUrl: "", allowedOrigins: [] };

/** Of a request as it came, what its answer is made from. Without `origins` nobody may use a cookie from elsewhere. */
export function askedOf(incoming: IncomingMessage | null, origins: Origins = nobodys): Asked {
  const headers = new Headers();
  for (const name of ["origin", "x-request-id"] as const) {
    const value = incoming?.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return { request: new Request("http://localhost", { headers }), method: incoming?.method, origins };
}

/** The error body of an answer that no route function made, and its line in the log. */
export function ownAnswer(error: unknown, asked: Asked, route = "none"): Response {
  const requestId = requestIdOf(asked.request);
  const response = withOwnHeaders(errorResponse(error, requestId), asked, requestId);
  const entry = { requestId, method: asked.method, route, status: response.status };
  if (error instanceof CodedError) log().info({ ...entry, code: error.code }, "request");
  else log().error({ ...entry, err: error }, "request failed");
  return response;
}

/** Sends elsewhere for good. */
export function ownRedirect(location: string, asked: Asked): Response {
  const response = new Response(null, { status: 308, headers: { location } });
  return withOwnHeaders(response, asked, requestIdOf(asked.request));
}

function withOwnHeaders(response: Response, { request, origins }: Asked, requestId: string): Response {
  setCommonHeaders(response.headers, requestId);
  setCorsHeaders(response.headers, request, origins);
  return response;
}
