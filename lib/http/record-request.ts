import { CodedError } from "../errors.ts";
import { log, plainLog } from "../log.ts";
import { metrics } from "../metrics.ts";
import { methods } from "./route-table.ts";

/** The status, in log and metrics, of an answer whose client did not wait for it. */
export const CLIENT_GONE = 499;

/**
 * Writes the one log line of a request. The line holds the request's id, method, route template, status, time
 * and codes, but no other text of a client or of another server. Only the line of a bug has more, without the
 * fields whose names mark secrets.
 */
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
  const { requestId, method, route, status, isGone, failure } = answered;
  const ms = Math.round(answered.ms * 10) / 10;
  if (failure === undefined && !isGone) {
    plainLog().info({ requestId, method, route, status, ms }, "request");
    return;
  }
  const coded = failure instanceof CodedError ? failure : undefined;
  const isBug = failure !== undefined && !isGone && (coded === undefined || coded.code === "internal");
  const entry = {
    ...{ requestId, method, route, status: isGone ? CLIENT_GONE : status, ms },
    ...(isGone && { gone: true }),
    ...(coded && { code: coded.code }),
    ...(coded && status >= 500 && coded.cause !== undefined && { cause: causeOf(coded.cause) }),
  };
  if (isBug) log().error({ ...entry, err: failure }, "request failed");
  else plainLog().info(entry, "request");
}

/** Counts a request whose answer has been sent. */
export function countRequest(
  method: string | undefined,
  { route, status, ms }: { route: string; status: number; ms: number },
): void {
  metrics().httpSeconds.observe(ms / 1000, labelOfMethod(method), route, String(status));
}

const labels: ReadonlySet<string | undefined> = new Set(methods);

/** Maps a method to one of few labels: Node's parser lets clients choose among three dozen. */
export const labelOfMethod = (method: string | undefined): string =>
  method !== undefined && labels.has(method) ? method : "other";

/** Returns only the names of errors, because their texts can quote the other side. */
function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const code = (cause as { code?: unknown }).code;
  return typeof code === "string" ? `${cause.name} ${code}` : cause.name;
}
