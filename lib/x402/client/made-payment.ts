import { formatMillis } from "../amount.ts";
import { decodeBase64Json, HEADER_PAYMENT, HEADER_PAYMENT_RESPONSE, HEADER_V2_RESPONSE } from "../header.ts";
import type { Counted } from "./day-book.ts";

const MAX_RECEIPT_LENGTH = 16_384;

/** A signed payment with its terms. `header` holds the secret of its holder: it goes to the seller alone. */
export type SentPayment = {
  header: string;
  amountMillis: number;
  payTo: string;
  network: string;
  /** Where it counts as spent; payments that an older version kept do not say. */
  counted?: Counted;
  /** Whether it was answered with something that had no receipt, and may have been its content or not. */
  isAnswered?: boolean;
};

/** The answer to a payment, and the seller's receipt for it: without one it may be anybody's on the way. */
export type PaidAnswer = { response: Response; receipt: Receipt | null };

/** That a seller has taken a payment; `txId` where the receipt names it. */
type Receipt = { txId: string | null };

/** A payment that was sent, and what came of it. */
export type MadePayment = {
  /** What was asked for. */
  url: string;
  payTo: string;
  /** Such as "0.050 HBD". */
  amount: string;
  network: string;
  /** The status of the answer; `null` where none came. */
  status: number | null;
  /** The id of the transaction, as the seller's receipt has it. */
  txId: string | null;
  /** Whether it had been sent before, for nothing: then it is not spent once more. */
  isRepeat: boolean;
};

/** What a client tells of its payments; it is not waited for, and what it throws is lost. */
export type OnPayment = (payment: MadePayment) => unknown;

/** Tells of a payment. The page is paid for: nothing that goes wrong here may keep it from the caller. */
export function tellPayment(
  onPayment: OnPayment | undefined,
  {
    url,
    payment,
    answer,
    isRepeat,
  }: { url: string; payment: SentPayment; answer: PaidAnswer | undefined; isRepeat: boolean },
): void {
  const { payTo, amountMillis, network } = payment;
  const made: MadePayment = {
    ...{ url, payTo, amount: formatMillis(amountMillis), network },
    ...{ status: answer?.response.status ?? null, txId: answer?.receipt?.txId ?? null, isRepeat },
  };
  Promise.resolve(made)
    .then(onPayment)
    .catch(() => {
      // The listener's own affair.
    });
}

/** Reads the receipt of an answer; `null` where it has none that can be read. */
export function readReceipt({ headers }: Response): Receipt | null {
  const text = headers.get(HEADER_PAYMENT_RESPONSE) ?? headers.get(HEADER_V2_RESPONSE) ?? "";
  try {
    const receipt = decodeBase64Json(text, MAX_RECEIPT_LENGTH);
    const { success, txId, transaction } = receipt as Record<string, unknown>;
    if (success !== true) return null;
    const id = txId ?? transaction;
    return { txId: typeof id === "string" && /^[0-9a-f]{40}$/.test(id) ? id : null };
  } catch {
    return null;
  }
}

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
