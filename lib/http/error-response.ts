import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { jsonResponse } from "../async/json-response.ts";
import { CodedError } from "../errors.ts";
import type { RequestHeaders } from "./client-address.ts";
import { type Answer, type Origins, requestIdOf, setCommonHeaders, setCorsHeaders } from "./headers.ts";
import { headersOf } from "./node-request.ts";
import { logRequest } from "./record-request.ts";

/**
 * Turns an error into the gateway's JSON answer. Any error other than a `CodedError` is a bug and reveals
 * nothing.
 */
export function errorResponse(error: unknown, requestId: string, givenStatus?: number): Response {
  const coded = error instanceof CodedError ? error : new CodedError("internal", { cause: error });
  const { message, code, issues, retryAfterSeconds } = coded;
  const status = givenStatus ?? coded.status;
  const headers = new Headers(coded.headers);
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="hivegate"');
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(Math.ceil(retryAfterSeconds)));
  const details = code === "invalid_request" ? { issues: issues ?? [] } : {};
  return jsonResponse({ error: message, code, requestId, ...details }, { status, headers });
}

/** The facts that an answer needs about its request, which may be malformed. */
export type RequestFacts = { headers: RequestHeaders; method: string | undefined; origins: Origins };

const noHeaders: RequestHeaders = { get: () => null };

/** Returns the facts that an answer needs about a raw request. */
export function requestFacts(incoming: IncomingMessage | null, origins: Origins): RequestFacts {
  return { headers: incoming ? headersOf(incoming) : noHeaders, method: incoming?.method, origins };
}

type Circumstances = {
  route?: string;
  requestId?: string;
  startedAtMs?: number;
  failure?: unknown;
  isGone?: boolean;
};

/** Adds the common headers to an answer and writes its log line. `startedAtMs` is on the monotonic clock. */
export function completeAnswer<A extends Answer>(
  response: A,
  facts: RequestFacts,
  circumstances: Circumstances = {},
): A {
  const { route = "none", requestId = requestIdOf(facts), failure, isGone = false } = circumstances;
  setCommonHeaders(response.headers, requestId);
  setCorsHeaders(response.headers, facts, facts.origins);
  const { startedAtMs } = circumstances;
  const ms = startedAtMs === undefined ? 0 : performance.now() - startedAtMs;
  logRequest({ requestId, method: facts.method, route, status: response.status, ms, isGone, failure });
  return response;
}

/** Creates the complete answer for an error outside the route functions. */
export function gatewayErrorResponse(
  error: unknown,
  facts: RequestFacts,
  {
    requestId = requestIdOf(facts),
    status,
    ...rest
  }: Omit<Circumstances, "failure"> & { status?: number } = {},
): Response {
  const response = errorResponse(error, requestId, status);
  return completeAnswer(response, facts, { ...rest, requestId, failure: error });
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
