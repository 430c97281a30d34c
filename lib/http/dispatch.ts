import type { IncomingMessage, ServerResponse } from "node:http";
import { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import { metrics } from "../metrics.ts";
import { errorResponse } from "./error-response.ts";
import { setCommonHeaders } from "./headers.ts";
import { toWebRequest } from "./node-request.ts";
import { sendResponse } from "./node-response.ts";
import { requestIdOf } from "./request-id.ts";
import { compileTable, type Match, type Method, methods, type RouteTable } from "./route-table.ts";

export type Dispatcher = {
  /** Whether the path is answered here, be it by 404: the API's own space and every path of the table. */
  isOurs(path: string): boolean;
  /** Answers; never rejects. */
  dispatch(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
};

/** The path of a request target as it stands: `new URL` throws on `//` and would take the process down. */
export function pathOf(target: string | undefined): string {
  return (target ?? "/").split("?", 1)[0] ?? "/";
}

/** Takes node requests to the route functions of the table and their answers back. */
export function createDispatcher(table: RouteTable, options: { trustProxy: number }): Dispatcher {
  const match = compileTable(table);

  async function answer(incoming: IncomingMessage, request: Request): Promise<Response> {
    const path = pathOf(incoming.url);
    const found = match(path);
    if (!found && path.endsWith("/") && match(path.slice(0, -1))) return withoutSlash(incoming, request);
    if (!found) throw new CodedError("not_found");
    const method = request.method as Method;
    const serve = found.module[method] ?? (method === "HEAD" ? found.module.GET : undefined);
    if (!serve) return methodNotAllowed(found, request);
    return serve(request, { params: Promise.resolve(found.params) });
  }

  return {
    isOurs: (path) => path === "/api" || path.startsWith("/api/") || match(path) !== null,
    async dispatch(incoming, outgoing) {
      const startedAtMs = performance.now();
      const gone = new AbortController();
      outgoing.once("close", () => {
        if (!outgoing.writableFinished) gone.abort();
      });
      try {
        const response = await answerOrError(incoming, gone.signal);
        await sendResponse(response, incoming, outgoing);
      } catch (error) {
        if (!gone.signal.aborted) log().error({ err: error }, "answer broke off");
        outgoing.destroy();
      }
      const template = match(pathOf(incoming.url))?.template ?? "none";
      metrics()
        .httpSeconds.labels(incoming.method ?? "", template, String(outgoing.statusCode))
        .observe((performance.now() - startedAtMs) / 1000);
    },
  };

  async function answerOrError(incoming: IncomingMessage, signal: AbortSignal): Promise<Response> {
    let request: Request | undefined;
    try {
      request = toWebRequest(incoming, signal, options.trustProxy);
      return await answer(incoming, request);
    } catch (error) {
      if (!(error instanceof CodedError)) log().error({ err: error }, "route failed");
      return ownAnswer(error, request);
    }
  }
}

/** The error body of an answer that no route function made. */
export function ownAnswer(error: unknown, request = new Request("http://localhost")): Response {
  const requestId = requestIdOf(request);
  const response = errorResponse(error, requestId);
  setCommonHeaders(response.headers, requestId);
  response.headers.set("access-control-allow-origin", "*");
  return response;
}

function methodNotAllowed({ module }: Match, request: Request): Response {
  const response = ownAnswer(new CodedError("method_not_allowed"), request);
  const allowed = methods.filter((method) => module[method] ?? (method === "HEAD" && module.GET));
  response.headers.set("allow", allowed.join(", "));
  return response;
}

function withoutSlash(incoming: IncomingMessage, request: Request): Response {
  const path = pathOf(incoming.url);
  const query = (incoming.url ?? "").slice(path.length);
  const headers = new Headers({ location: path.slice(0, -1) + query, "access-control-allow-origin": "*" });
  setCommonHeaders(headers, requestIdOf(request));
  return new Response(null, { status: 308, headers });
}
