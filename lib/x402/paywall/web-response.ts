import { exposedHeaders, type PlainAnswer } from "./answer.ts";

/** A web `Response` of a plain answer, readable for scripts of other origins. */
export function toResponse({ status, headers, body }: PlainAnswer): Response {
  return addHeaders(new Response(body || null, { status }), headers);
}

/** The same answer, its stream untouched, with headers set. */
export function addHeaders(response: Response, headers: PlainAnswer["headers"]): Response {
  const { status, statusText } = response;
  const copy = new Response(response.body, { status, statusText, headers: response.headers });
  for (const [name, value] of headers) copy.headers.set(name, value);
  const exposed = exposedHeaders(copy.headers.get("access-control-expose-headers"));
  copy.headers.set("access-control-expose-headers", exposed);
  return copy;
}
