import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { CodedError } from "../errors.ts";
import type { RequestHeaders } from "./client-address.ts";
import { type Origins, requestIdOf, setCommonHeaders, setCorsHeaders } from "./headers.ts";
import { headersOf } from "./node-request.ts";
import { logRequest } from "./record-request.ts";

/** Turns an error into the gateway's JSON answer; anything but a `CodedError` is a bug and reveals nothing. */
export function errorResponse(error: unknown, requestId: string): Response {
  const coded = error instanceof CodedError ? error : new CodedError("internal", { cause: error });
  const { message, code, status, issues, retryAfterSeconds } = coded;
  const headers = new Headers(coded.headers);
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="hivegate"');
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(Math.ceil(retryAfterSeconds)));
  const details = code === "invalid_request" ? { issues: issues ?? [] } : {};
  return Response.json({ error: message, code, requestId, ...details }, { status, headers });
}

/** The facts needed to answer without a route function; the request may be malformed. */
export type Asked = { headers: RequestHeaders; method: string | undefined; origins: Origins };

const noHeaders: RequestHeaders = { get: () => null };

/** Returns the facts of a raw request that an answer needs. */
export function requestFacts(incoming: IncomingMessage | null, origins: Origins): Asked {
  return { headers: incoming ? headersOf(incoming) : noHeaders, method: incoming?.method, origins };
}

/** The error body of an answer that no route function made, and its line in the log; begun at `startedAtMs` of the monotonic clock. */
export function gatewayErrorResponse(
  error: unknown,
  asked: Asked,
  { route = "none", requestId = requestIdOf(asked), startedAtMs = performance.now() } = {},
): Response {
  const response = withOwnHeaders(errorResponse(error, requestId), asked, requestId);
  const ms = performance.now() - startedAtMs;
  const { method } = asked;
  logRequest({ requestId, method, route, status: response.status, ms, isGone: false, failure: error });
  return response;
}

/** Sends elsewhere for good. */
export function ownRedirect(location: string, asked: Asked): Response {
  const response = new Response(null, { status: 308, headers: { location } });
  return withOwnHeaders(response, asked, requestIdOf(asked));
}

function withOwnHeaders(response: Response, asked: Asked, requestId: string): Response {
  setCommonHeaders(response.headers, requestId);
  setCorsHeaders(response.headers, asked, asked.origins);
  return response;
}

/** Answers an upgrade request with an ordinary response and ends the connection. */
export async function refuseUpgrade(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? "Error"}`];
  for (const [name, value] of response.headers) lines.push(`${name}: ${value}`);
  lines.push(`content-length: ${body.byteLength}`, "connection: close", "", "");
  if (!socket.writable) return void socket.destroy();
  socket.end(Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), body]), () => socket.destroy());
}
