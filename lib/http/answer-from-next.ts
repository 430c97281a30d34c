import { gatewayErrorResponse } from "./error-response.ts";
import type { Answer } from "./headers.ts";
import type { HttpScope } from "./http-scope.ts";
import { type AskedRequest, askedFromNext } from "./node-request.ts";
import { toWebResponse } from "./outgoing-answer.ts";
import { CLIENT_GONE, countRequest, labelOfMethod } from "./record-request.ts";
import { fileTemplateOf } from "./route-table.ts";

/**
 * Answers a request that Next hands to the route of a path, with the same traces and metrics as the
 * dispatcher. Never rejects.
 */
export async function answerFromNext(
  given: Request,
  path: string,
  http: HttpScope,
  answer: (asked: AskedRequest) => Promise<Answer>,
): Promise<Response> {
  const startedAtMs = performance.now();
  const { method, headers, signal } = given;
  const route = fileTemplateOf(path);
  let response!: Response;
  const traceparent = headers.get("traceparent") ?? undefined;
  const serve = async () => {
    try {
      response = await toWebResponse(await answer(askedFromNext(given, http.trustProxy)), method);
    } catch (error) {
      const facts = { headers, method, origins: http };
      response = await toWebResponse(gatewayErrorResponse(error, facts, { route: path }), method);
    }
    const status = signal.aborted ? CLIENT_GONE : response.status;
    countRequest(method, { route, status, ms: performance.now() - startedAtMs });
    const requestId = response.headers.get("x-request-id") ?? undefined;
    return { method: labelOfMethod(method), route, status, requestId };
  };
  if (http.tracing) await http.tracing.serve({ traceparent, isBelieved: http.trustProxy > 0 }, serve);
  else await serve();
  return response;
}
