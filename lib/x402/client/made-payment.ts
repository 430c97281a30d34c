import { sha256 } from "@noble/hashes/sha2.js";
import { formatMillis } from "../amount.ts";
import { decodeBase64Json, HEADER_PAYMENT, HEADER_PAYMENT_RESPONSE } from "../header.ts";
import type { Offer } from "./choose-offer.ts";

const MAX_RECEIPT_LENGTH = 16_384;

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
    offer,
    response,
    isRepeat,
  }: { url: string; offer: Offer; response: Response | undefined; isRepeat: boolean },
): void {
  const { payTo, amountMillis, requirements } = offer;
  const made: MadePayment = {
    ...{ url, payTo, amount: formatMillis(amountMillis), network: requirements.network },
    ...{ status: response?.status ?? null, txId: response ? txIdOf(response) : null, isRepeat },
  };
  Promise.resolve(made)
    .then(onPayment)
    .catch(() => {
      // The listener's own affair.
    });
}

function txIdOf(response: Response): string | null {
  try {
    const receipt = decodeBase64Json(response.headers.get(HEADER_PAYMENT_RESPONSE) ?? "", MAX_RECEIPT_LENGTH);
    const { txId } = receipt as { txId?: unknown };
    return typeof txId === "string" && /^[0-9a-f]{40}$/.test(txId) ? txId : null;
  } catch {
    // No receipt, or none that can be read.
    return null;
  }
}

const MAX_ENTRIES = 100;

type Entry = {
  /** What was asked for: method, address and the digest of the body. */
  subject: string;
  header: string;
  amountMillis: number;
  payTo: string;
  network: string;
};

/** Payments that were sent and brought nothing: the same request, made again, sends them again instead of paying twice. */
export type Undelivered = {
  keep(request: LogicalRequest, url: string, offer: Offer, header: string): void;
  /** Hands the payment out, once, if the offer is still the one that it paid. */
  take(
    request: LogicalRequest,
    url: string,
    offers: readonly Offer[],
  ): { header: string; offer: Offer } | undefined;
};

/** Creates an empty memory; the oldest of too many is forgotten. */
export function createUndelivered(): Undelivered {
  const entries: Entry[] = [];
  return {
    keep(request, url, { amountMillis, payTo, requirements }, header) {
      if (entries.length >= MAX_ENTRIES) entries.shift();
      const { network } = requirements;
      entries.push({ subject: subjectOf(request, url), header, amountMillis, payTo, network });
    },
    take(request, url, offers) {
      if (entries.length === 0) return undefined;
      const subject = subjectOf(request, url);
      for (const [index, entry] of entries.entries()) {
        if (entry.subject !== subject) continue;
        const offer = offers.find(
          ({ amountMillis, payTo, requirements }) =>
            amountMillis === entry.amountMillis &&
            payTo === entry.payTo &&
            requirements.network === entry.network,
        );
        if (!offer) continue;
        entries.splice(index, 1);
        return { header: entry.header, offer };
      }
      return undefined;
    },
  };
}

/** A body of any size is kept as its digest; none and an empty one are two. */
function subjectOf({ method, body }: LogicalRequest, url: string): string {
  return `${method} ${url} ${body ? sha256(body).join() : "-"}`;
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

/** Reads what `fetch` was called with; a stream is read to its end, once. */
export async function readRequest(input: RequestInfo | URL, init: RequestInit = {}): Promise<LogicalRequest> {
  // A stream as body needs `duplex`, which callers of other clients don't know.
  const request = new Request(
    input,
    init.body instanceof ReadableStream ? ({ ...init, duplex: "half" } as RequestInit) : init,
  );
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
