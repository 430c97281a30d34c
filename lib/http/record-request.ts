import { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import { metrics } from "../metrics.ts";
import { methods } from "./route-table.ts";

/** The status, in log and metrics, of an answer whose client did not wait for it. */
export const CLIENT_GONE = 499;

/** Writes the one log line of a request, with its route but never its query or token. */
export function logRequest(answered: {
  requestId: string;
  method: string | undefined;
  route: string;
  status: number;
  ms: number;
  /** True if the client did not wait for the answer. */
  isGone: boolean;
  failure: unknown;
}): void {
  const { requestId, method, route, status, ms, isGone, failure } = answered;
  const coded = failure instanceof CodedError ? failure : undefined;
  const isBug = failure !== undefined && !isGone && (coded === undefined || coded.code === "internal");
  const entry = {
    requestId,
    method,
    route,
    status: isGone ? CLIENT_GONE : status,
    ms: Math.round(ms * 10) / 10,
    ...(isGone && { gone: true }),
    ...(coded && { code: coded.code }),
    ...(isBug && { err: failure }),
    ...(coded && status >= 500 && coded.cause !== undefined && { cause: causeOf(coded.cause) }),
  };
  if (isBug) log().error(entry, "request failed");
  else log().info(entry, "request");
}

/** Counts a request whose answer has been sent. */
export function countRequest(
  method: string | undefined,
  { route, status, ms }: { route: string; status: number; ms: number },
): void {
  metrics()
    .httpSeconds.labels(labelOfMethod(method), route, String(status))
    .observe(ms / 1000);
}

/** Maps a method to one of few labels: Node's parser lets clients choose among three dozen. */
export const labelOfMethod = (method: string | undefined) =>
  methods.find((known) => known === method) ?? "other";

/** Returns the names of errors only, because their texts may quote the other side. */
function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const code = (cause as { code?: unknown }).code;
  return typeof code === "string" ? `${cause.name} ${code}` : cause.name;
}
