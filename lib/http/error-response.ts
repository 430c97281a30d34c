import { CodedError } from "../errors.ts";

/** The one place where an error becomes an HTTP answer; what is no `CodedError` is a bug and tells nothing. */
export function errorResponse(error: unknown, requestId: string): Response {
  const coded = error instanceof CodedError ? error : new CodedError("internal", { cause: error });
  const { message, code, status, issues, retryAfterSeconds } = coded;
  const headers = new Headers(coded.headers);
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="hivegate"');
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(Math.ceil(retryAfterSeconds)));
  const details = code === "invalid_request" ? { issues: issues ?? [] } : {};
  return Response.json({ error: message, code, requestId, ...details }, { status, headers });
}
