export type Answer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the answers are what the tests look into.
  body: any;
};

/**
 * Sends a raw REST call, for requests that the official client can't express. A string body is sent
 * unchanged.
 */
export async function call(
  baseUrl: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  const isJson = /^\s*[[{"]|^null\s*$/.test(text);
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Returns the status and error id of a refused call of the official client. Fails if it was not refused. */
export async function refusal(promise: Promise<unknown>): Promise<{ status: number; id: string }> {
  let error: { status_code?: number; server_error_id?: string };
  try {
    await promise;
  } catch (caught) {
    error = caught as typeof error;
    return { status: error.status_code ?? 0, id: error.server_error_id ?? String(caught) };
  }
  throw new Error("the call was expected to be refused");
}
