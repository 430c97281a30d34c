import { HEADER_PAYMENT } from "../header.ts";

/** One request of the caller, which may go out several times: its body is kept. */
export type LogicalRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly signal: AbortSignal;
  /** Everything else that the caller set: credentials, cache, and what their runtime knows. */
  readonly init: RequestInit;
};

/**
 * What has to live as long as a signal: Node's requests follow the signal that they were made with only until they are
 * collected themselves, and so would the caller's abort be lost.
 */
const keptWith = new WeakMap<AbortSignal, readonly unknown[]>();

/** Reads what `fetch` was called with; a stream is read to its end, once. */
export async function readRequest(input: RequestInfo | URL, init: RequestInit = {}): Promise<LogicalRequest> {
  // A stream as body needs `duplex`, which callers of other clients don't know.
  const request = new Request(
    input,
    init.body instanceof ReadableStream ? ({ ...init, duplex: "half" } as RequestInit) : init,
  );
  keptWith.set(request.signal, [request, input]);
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
  const { cache, credentials, integrity, keepalive, mode, redirect, referrerPolicy } = request;
  const kept = mode === "navigate" ? {} : { mode };
  return {
    url: request.url,
    method: request.method,
    headers: request.headers,
    body,
    signal: request.signal,
    init: {
      cache,
      credentials,
      integrity,
      keepalive,
      redirect,
      referrerPolicy,
      ...kept,
      ...withoutBody(init),
    },
  };
}

/** Sends the request, with the payment where there is one. A paid request never follows a redirect by itself. */
export function send(
  fetcher: typeof fetch,
  request: LogicalRequest,
  url: string,
  payment?: string,
): Promise<Response> {
  const headers = new Headers(request.headers);
  if (payment !== undefined) headers.set(HEADER_PAYMENT, payment);
  const { method, signal, init, body } = request;
  return fetcher(url, {
    ...init,
    method,
    headers,
    signal,
    ...(body && { body }),
    ...(payment !== undefined && { redirect: "manual" as const }),
  });
}

function withoutBody({
  body: _body,
  method: _method,
  headers: _headers,
  signal: _signal,
  ...rest
}: RequestInit) {
  return rest;
}
