import type { IncomingMessage, ServerResponse } from "node:http";
import { Departure } from "../async/departure.ts";
import { log } from "../log.ts";
import type { ServedRequest, TracedCaller } from "../tracing.ts";
import { completeAnswer, gatewayErrorResponse, requestFacts } from "./error-response.ts";
import type { Answer } from "./headers.ts";
import type { HttpScope } from "./http-scope.ts";
import type { NextApp } from "./next-app.ts";
import { hasBody, LazyRequest, sendResponse } from "./node-request.ts";
import { CLIENT_GONE, countRequest, labelOfMethod } from "./record-request.ts";
import { compileTemplates, type Match, pathOf, type RouteFunction, type RouteTable } from "./route-table.ts";

/** Answers one request. Never rejects. */
export type Dispatch = (outgoing: ServerResponse) => Promise<unknown>;

export type Dispatcher = {
  /**
   * Returns the function that answers a request, if the table contains its path, with or without a trailing slash;
   * otherwise null.
   */
  find(incoming: IncomingMessage): Dispatch | null;
};

/**
 * Passes Node requests, with the server's services, to the routes in the table, and sends their answers.
 * Everything else goes to Next, including paths for which the app has a more specific route, and paths that
 * Next's middleware or configuration affects.
 */
export function createDispatcher(
  table: RouteTable,
  services: { http: HttpScope },
  app: NextApp = { entries: {}, changes: () => false },
): Dispatcher {
  const { http } = services;
  const others = Object.keys(app.entries).filter((template) => table[template] === undefined);
  const own = Object.entries(table).map(([template, { GET }]) => [template, GET] as const);
  const match = compileTemplates<RouteFunction | null>({
    ...Object.fromEntries(others.map((template) => [template, null])),
    ...Object.fromEntries(own),
  });
  const find = (path: string): Match<RouteFunction> | null => {
    const found = match(path);
    return isRoute(found) ? found : null;
  };

  return {
    find(incoming) {
      const path = pathOf(incoming.url);
      const exact = find(path);
      const found = exact ?? (path.endsWith("/") ? find(path.slice(0, -1)) : null);
      if (!found || app.changes(path)) return null;
      const hasSlash = exact === null;
      if (http.tracing === null) return (outgoing) => serve(found, hasSlash, incoming, outgoing);
      return (outgoing) => serveTraced(http, incoming, () => serve(found, hasSlash, incoming, outgoing));
    },
  };

  async function serve(
    found: Match<RouteFunction>,
    hasSlash: boolean,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<ServedRequest> {
    const startedAtMs = performance.now();
    const gone = new Departure();
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    // Runs before the body's reader sees the body end, so that a dropped connection does not count as the
    // gateway's fault.
    if (hasBody(incoming))
      incoming.on("close", () => {
        if (!incoming.complete) gone.abort();
      });
    let requestId: string | undefined;
    try {
      const response = hasSlash ? redirect(found, incoming) : await answer(found, incoming, outgoing, gone);
      requestId = response.headers.get("x-request-id") ?? undefined;
      const sending = sendResponse(response, incoming, outgoing);
      if (sending !== undefined) await sending;
    } catch (error) {
      if (!gone.aborted) log().error({ err: error }, "the response broke off");
      outgoing.destroy();
    }
    const status = gone.aborted ? CLIENT_GONE : outgoing.statusCode;
    const { method } = incoming;
    const { template: route } = found;
    countRequest(method, { route, status, ms: performance.now() - startedAtMs });
    return { method: labelOfMethod(method), route, status, requestId };
  }

  async function answer(
    { value: route, params }: Match<RouteFunction>,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    gone: Departure,
  ) {
    try {
      const asked = new LazyRequest(incoming, gone, http.trustProxy, outgoing);
      return await route.answer(asked, params, services);
    } catch (error) {
      return gatewayErrorResponse(error, requestFacts(incoming, http));
    }
  }

  /** Redirects permanently to the path without its trailing slash. */
  function redirect({ template }: Match<RouteFunction>, incoming: IncomingMessage): Answer {
    const target = incoming.url ?? "";
    const path = pathOf(target);
    const location = path.slice(0, -1) + target.slice(path.length);
    const response = new Response(null, { status: 308, headers: { location } });
    const route = template.replace(/\[(\w+)\]/g, "{$1}");
    return completeAnswer(response, requestFacts(incoming, http), { route });
  }
}

const isRoute = <T>(found: Match<T | null> | null): found is Match<T> => (found?.value ?? null) !== null;

/** Serves a request under its own span if requests are traced. */
export async function serveTraced(
  http: Pick<HttpScope, "tracing" | "trustProxy">,
  incoming: IncomingMessage,
  work: () => Promise<ServedRequest>,
): Promise<void> {
  if (http.tracing) await http.tracing.serve(callerOf(incoming, http), work);
  else await work();
}

/** Reads the trace that a request belongs to. Only the operator's own proxies are trusted. */
function callerOf({ headers }: IncomingMessage, { trustProxy }: Pick<HttpScope, "trustProxy">): TracedCaller {
  const { traceparent } = headers;
  return {
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
    isBelieved: trustProxy > 0,
  };
}
