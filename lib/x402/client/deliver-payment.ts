import { isWebAddress } from "../check-options.ts";
import { HEADER_PAYMENT, HEADER_V2_PAYMENT } from "../header.ts";
import { type LogicalRequest, send } from "./logical-request.ts";
import { isPending, type PaidAnswer, readReceipt, readSettlement, type SentPayment } from "./made-payment.ts";
import { PaymentError } from "./payment-error.ts";
import { readCode } from "./read-offers.ts";
import { wait } from "./wait.ts";

const MAX_TRIES = 6;
/** The most times that a server is asked for a sent transfer that no block has yet. */
const MAX_UNSEEN = 60;
const MAX_REDIRECTS = 5;
const MAX_WAIT_SECONDS = 10;
const WAIT_SECONDS = 1;

/**
 * Sends a request with its payment, up to six times, until the answer is something other than "try again".
 * Each attempt sends the same payment, so it cannot be charged twice. Redirects are followed, but without the
 * payment if they lead off the origin or the payment was accepted.
 * @throws the errors of `fetch` after the last attempt; PaymentError `redirected_after_payment` if the
 * runtime hides the redirect's address, if that is not a web address, if the caller forbids redirects, or if
 * there are too many
 */
export async function deliverPayment(
  fetcher: typeof fetch,
  request: LogicalRequest,
  url: string,
  payment: Pick<SentPayment, "header" | "sentAs" | "sentUntilMs">,
): Promise<PaidAnswer> {
  let target = url;
  for (let redirects = 0; ; redirects++) {
    const response = await sendPatiently(fetcher, request, target, payment);
    if (response.type === "opaqueredirect")
      throw new PaymentError(
        "redirected_after_payment",
        "The paid request was redirected; the payment was not sent on.",
      );
    const settlement = readSettlement(response);
    const receipt = readReceipt(settlement);
    const location = redirectOf(response, target);
    if (!location || request.init.redirect === "manual") return { response, receipt };
    if (request.init.redirect === "error" || redirects >= MAX_REDIRECTS)
      throw new PaymentError("redirected_after_payment", "The paid request was redirected.");
    if (!isWebAddress(location.href))
      throw new PaymentError(
        "redirected_after_payment",
        "The paid request was redirected to something that is not a web address.",
      );
    await response.body?.cancel();
    const keepsMethod = response.status === 307 || response.status === 308 || isReading(request.method);
    const isSameOrigin = location.origin === new URL(target).origin;
    if (settlement || !keepsMethod || !isSameOrigin) {
      const followed = await followUnpaid(fetcher, request, location, { keepsMethod, isSameOrigin });
      return { response: followed, receipt };
    }
    target = location.href;
  }
}

async function sendPatiently(
  fetcher: typeof fetch,
  request: LogicalRequest,
  url: string,
  payment: Pick<SentPayment, "header" | "sentAs" | "sentUntilMs">,
): Promise<Response> {
  for (let tries = 1, unseen = 0; ; tries++) {
    const isLast = tries - unseen >= MAX_TRIES;
    try {
      const response = await send(fetcher, request, url, payment);
      const isUnseen = payment.sentUntilMs !== undefined && (await isNotSeen(response));
      if (isUnseen && ++unseen > MAX_UNSEEN) return response;
      if (!isUnseen && (!isToBeSentAgain(response) || isLast)) return response;
      await response.body?.cancel();
      await wait(secondsToWait(response.headers.get("retry-after")), request.signal);
    } catch (error) {
      if (isLast || request.signal.aborted) throw error;
      await wait(WAIT_SECONDS, request.signal);
    }
  }
}

/** Returns whether no block has the sent transfer yet, according to the server. */
const isNotSeen = async (response: Response) =>
  response.status === 402 && (await readCode(response)) === "payment_not_seen";

/**
 * Returns whether an answer means that the payment should be sent again. Busy servers ask to retry. Official
 * servers refuse a payment that the chain has not confirmed yet, with its receipt.
 */
function isToBeSentAgain(response: Response): boolean {
  const { status } = response;
  return status === 429 || status === 503 || (status === 402 && isPending(readSettlement(response)));
}

/** Follows a redirect without the payment, and sends other secrets only to the same origin. */
export function followUnpaid(
  fetcher: typeof fetch,
  request: LogicalRequest,
  location: URL,
  { keepsMethod, isSameOrigin }: { keepsMethod: boolean; isSameOrigin: boolean },
): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const name of [HEADER_PAYMENT, HEADER_V2_PAYMENT]) headers.delete(name);
  if (!isSameOrigin)
    for (const name of ["authorization", "cookie", "proxy-authorization"]) headers.delete(name);
  if (!keepsMethod) for (const name of ["content-type", "content-length"]) headers.delete(name);
  const method = keepsMethod ? request.method : "GET";
  const { body: kept, ...rest } = request;
  return send(fetcher, { ...rest, method, headers, body: keepsMethod ? kept : undefined }, location.href);
}

/** Returns the target of an answer's redirect, or `null`. */
export function redirectOf(response: Response, base: string): URL | null {
  const location = response.headers.get("location");
  return [301, 302, 303, 307, 308].includes(response.status) &&
    location !== null &&
    URL.canParse(location, base)
    ? new URL(location, base)
    : null;
}

const isReading = (method: string) => method === "GET" || method === "HEAD";

function secondsToWait(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? WAIT_SECONDS);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS) : WAIT_SECONDS;
}
