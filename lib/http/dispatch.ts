import type { IncomingMessage, ServerResponse } from "node:http";
import { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import type { ServedRequest, TracedCaller } from "../tracing.ts";
import { completeAnswer, gatewayErrorResponse, type RequestFacts, requestFacts } from "./error-response.ts";
import { type Answer, preflight } from "./headers.ts";
import { LazyRequest, sendResponse } from "./node-request.ts";
import { CLIENT_GONE, countRequest, type HttpScope, labelOfMethod } from "./record-request.ts";
import {
  compileTable,
  type Match,
  type Method,
  methods,
  normalizedPath,
  pathOf,
  type RouteTable,
} from "./route-table.ts";

export type Dispatcher = {
  /**
   * Whether the request is answered here, also by 404: the API's own space and every path of the table, also by detours
   * such as `/x/../api`, on which Next would serve route files without what stands in front of them here.
   */
  takes(incoming: IncomingMessage): boolean;
  /** Answers; never rejects. */
  dispatch(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
};

/**
 * Takes node requests to the route functions of the table, with the services that they work with, and their answers
 * back.
 */
export function createDispatcher(table: RouteTable, services: { http: HttpScope }): Dispatcher {
  const { http } = services;
  const match = compileTable(table);
  const matchWithoutSlash = (path: string) => (path.endsWith("/") ? match(path.slice(0, -1)) : null);

  const isTaken = (path: string) => path === "/api" || path.startsWith("/api/") || match(path) !== null;

  async function answer(incoming: IncomingMessage, signal: AbortSignal): Promise<Answer> {
    const path = pathOf(incoming.url);
    const found = match(path);
    if (!found) return redirect(incoming, path);
    const method = incoming.method as Method;
    if (method === "OPTIONS" && !found.module.OPTIONS)
      return completeAnswer(preflight(), requestFacts(incoming, http), { route: routeOf(found) });
    const serve = found.module[method] ?? (method === "HEAD" ? found.module.GET : undefined);
    if (!serve) return methodNotAllowed(found, requestFacts(incoming, http));
    const head = new LazyRequest(incoming, signal, http.trustProxy);
    const context = { params: Promise.resolve(found.params), services };
    return serve.answer ? serve.answer(head, context) : serve(head.request, context);
  }

  /** Sends to the path without its trailing slash, for good. @throws CodedError `not_found` where there is none */
  function redirect(incoming: IncomingMessage, path: string): Response {
    const found = matchWithoutSlash(path);
    if (!found) throw new CodedError("not_found");
    const location = withoutSlash(incoming.url ?? "", path);
    const response = new Response(null, { status: 308, headers: { location } });
    return completeAnswer(response, requestFacts(incoming, http), { route: routeOf(found) });
  }

  return {
    takes(incoming) {
      const path = pathOf(incoming.url);
      return isTaken(path) || isTaken(normalizedPath(path));
    },
    dispatch: (incoming, outgoing) =>
      http.tracing.serve(callerOf(incoming, http), () => serve(incoming, outgoing)),
  };

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<ServedRequest> {
    const startedAtMs = performance.now();
    const gone = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    // Must run before the body's reader sees it end: a dropped connection is not the gateway's fault.
    incoming.once("close", () => {
      if (!incoming.complete) gone.abort();
    });
    let requestId: string | undefined;
    try {
      const response = await answerOrError(incoming, gone.signal);
      requestId = response.headers.get("x-request-id") ?? undefined;
      await sendResponse(response, incoming, outgoing);
    } catch (error) {
      if (!gone.signal.aborted) log().error({ err: error }, "answer broke off");
      outgoing.destroy();
    }
    const status = gone.signal.aborted ? CLIENT_GONE : outgoing.statusCode;
    const path = pathOf(incoming.url);
    const template = (match(path) ?? matchWithoutSlash(path))?.template ?? "none";
    countRequest(incoming.method, { route: template, status, ms: performance.now() - startedAtMs });
    return { method: labelOfMethod(incoming.method), route: template, status, requestId };
  }

  async function answerOrError(incoming: IncomingMessage, signal: AbortSignal): Promise<Answer> {
    try {
      return await answer(incoming, signal);
    } catch (error) {
      return gatewayErrorResponse(error, requestFacts(incoming, http));
    }
  }
}

function methodNotAllowed(found: Match, facts: RequestFacts): Response {
  const { module } = found;
  const route = routeOf(found);
  const response = gatewayErrorResponse(new CodedError("method_not_allowed"), facts, { route });
  const allowed = methods.filter(
    (method) => module[method] ?? (method === "OPTIONS" || (method === "HEAD" && module.GET)),
  );
  response.headers.set("allow", allowed.join(", "));
  return response;
}

/** A template as the log spells it: `/api/chat/channels/{channelId}/posts`. */
const routeOf = ({ template }: Match) => template.replace(/\[(\w+)\]/g, "{$1}");

/** What a request says of the trace that it belongs to; only a proxy of one's own is believed. */
export function callerOf(
  { headers }: IncomingMessage,
  { trustProxy }: Pick<HttpScope, "trustProxy">,
): TracedCaller {
  const { traceparent } = headers;
  return {
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
    isBelieved: trustProxy > 0,
  };
}

const withoutSlash = (target: string, path: string) => path.slice(0, -1) + target.slice(path.length);
