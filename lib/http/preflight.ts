import { currentConfig } from "../config.ts";
import { setCorsHeaders, setPreflightHeaders } from "./cors.ts";
import { setCommonHeaders } from "./headers.ts";
import { requestIdOf } from "./request-id.ts";

/** Answers `OPTIONS`; every route file exports it. */
export function preflight(request: Request): Response {
  const response = new Response(null, { status: 204 });
  setCommonHeaders(response.headers, requestIdOf(request));
  setCorsHeaders(response.headers, request, currentConfig());
  setPreflightHeaders(response.headers);
  return response;
}
