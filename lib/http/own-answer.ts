import type { IncomingMessage } from "node:http";
import { setCorsHeaders } from "./cors.ts";
import { errorResponse } from "./error-response.ts";
import { setCommonHeaders } from "./headers.ts";
import type { Origins } from "./origin.ts";
import { requestIdOf } from "./request-id.ts";

/** What an answer that no route function made goes by; the request itself may be no good. */
export type Asked = { request: Request; origins: Origins };

const nobodys: Origins = { publicUrl: "", allowedOrigins: [] };

/** Of a request as it came, what its answer is made from. Without `origins` nobody may use a cookie from elsewhere. */
export function askedOf(incoming: IncomingMessage | null, origins: Origins = nobodys): Asked {
  const headers = new Headers();
  for (const name of ["origin", "x-request-id"] as const) {
    const value = incoming?.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return { request: new Request("http://localhost", { headers }), origins };
}

/** The error body of an answer that no route function made. */
export function ownAnswer(error: unknown, asked: Asked): Response {
  const requestId = requestIdOf(asked.request);
  return withOwnHeaders(errorResponse(error, requestId), asked, requestId);
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
