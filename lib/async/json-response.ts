const texts = new WeakMap<Response, string>();

/** Creates a JSON `Response`. `textOf` returns its text without reading a stream. */
export function jsonResponse(
  value: unknown,
  init: { status?: number; headers?: HeadersInit } = {},
): Response {
  const text = JSON.stringify(value);
  const response = new Response(text, init);
  response.headers.set("content-type", "application/json");
  texts.set(response, text);
  return response;
}

/** Returns the text of a `jsonResponse` that has not been read, or undefined for other answers. */
export const textOf = (response: Response): string | undefined =>
  response.bodyUsed ? undefined : texts.get(response);
