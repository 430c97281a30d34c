import type { SIGN_IN_WITH_X } from "../sign-in-text.ts";
import type { SentPayment } from "./made-payment.ts";

/** One request of the caller, which may be sent several times, so its body is stored. */
export type LogicalRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly signal: AbortSignal;
  /** All other options of the caller: credentials, cache, and those of the runtime. */
  readonly init: RequestInit;
};

/**
 * Keeps the created requests alive as long as their signal: a request of Node follows its signal only until
 * the request is garbage-collected, which would lose the caller's abort.
 */
const keptWith = new WeakMap<AbortSignal, readonly unknown[]>();

/** Reads the arguments of `fetch`; a stream is read once, to its end. */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<LogicalRequest> {
  // A stream as a body requires `duplex`, which callers of other clients never set.
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

/** A header that pays, or that proves an earlier payer, and its name. */
type SentProof = { header: string; sentAs: SentPayment["sentAs"] | typeof SIGN_IN_WITH_X };

/**
 * Sends the request, with the proof if there is one. A request with a proof never follows a redirect on its
 * own.
 */
export function send(
  fetcher: typeof fetch,
  request: LogicalRequest,
  url: string,
  proof?: SentProof,
): Promise<Response> {
  const headers = new Headers(request.headers);
  if (proof !== undefined) headers.set(proof.sentAs, proof.header);
  const { method, signal, init, body } = request;
  return fetcher(url, {
    ...init,
    method,
    headers,
    signal,
    ...(body && { body }),
    ...(proof !== undefined && { redirect: "manual" as const }),
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
