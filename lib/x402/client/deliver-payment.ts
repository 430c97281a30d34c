import { isWebAddress } from "../check-options.ts";
import { HEADER_PAYMENT, HEADER_V2_PAYMENT } from "../header.ts";
import type { SIGN_IN_WITH_X } from "../sign-in-text.ts";
import { type LogicalRequest, send } from "./logical-request.ts";
import { isPending, type PaidAnswer, readReceipt, readSettlement, type SentPayment } from "./made-payment.ts";
import { PaymentError } from "./payment-error.ts";
import { readCode } from "./read-offers.ts";
import { wait } from "./wait.ts";

/** Written here, because its module would be loaded with each payment. */
const signIn: typeof SIGN_IN_WITH_X = "sign-in-with-x";

const MAX_TRIES = 6;
/** The most times that a server is asked for a sent transfer that no block has yet. */
const MAX_UNSEEN = 60;
const MAX_WAIT_SECONDS = 10;
const WAIT_SECONDS = 1;

/** The answer to a payment, which is empty if it is a redirect to follow. */
export type DeliveredPayment = PaidAnswer & {
  /** The request that follows the answer's redirect, without the payment. */
  next?: LogicalRequest;
};

/**
 * Sends a request with its payment, up to six times, until the answer is something other than "try again".
 * Each attempt sends the same payment, so it cannot be charged twice, and to the same address, for which it was made.
 * @throws the errors of `fetch` after the last attempt; PaymentError `redirected_after_payment` if the
 * runtime hides the redirect's address, if that is not a web address, or if the caller forbids redirects
 */
export async function deliverPayment(
  fetcher: typeof fetch,
  request: LogicalRequest,
  url: string,
  payment: Pick<SentPayment, "header" | "sentAs" | "sentUntilMs">,
): Promise<DeliveredPayment> {
  const response = await sendPatiently(fetcher, request, url, payment);
  const next = await followRedirect(response, request, url, "redirected_after_payment");
  return { response, receipt: readReceipt(readSettlement(response)), ...(next && { next }) };
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

/**
 * Returns the request that follows an answer's redirect, or null if there is none to follow. The request is without the
 * payment, and has other secrets only at the same origin.
 * @throws PaymentError with `code` if the client can't follow the redirect
 */
export async function followRedirect(
  response: Response,
  { body, ...request }: LogicalRequest,
  url: string,
  code: "redirected" | "redirected_after_payment",
): Promise<LogicalRequest | null> {
  const { status } = response;
  const isHidden = response.type === "opaqueredirect";
  const to = [301, 302, 303, 307, 308].includes(status) ? response.headers.get("location") : null;
  const { redirect } = request.init;
  if (redirect === "manual" || !(isHidden || (to !== null && URL.canParse(to, url)))) return null;
  const location = new URL(to ?? url, url);
  if (isHidden || redirect === "error" || !isWebAddress(location.href))
    throw new PaymentError(code, "The redirect can't be followed.");
  await response.body?.cancel();
  const headers = new Headers(request.headers);
  const leave = (...names: string[]) => {
    for (const name of names) headers.delete(name);
  };
  leave(HEADER_PAYMENT, HEADER_V2_PAYMENT);
  if (location.origin !== new URL(url).origin)
    leave("authorization", "cookie", "proxy-authorization", signIn);
  const next = { ...request, headers, url: location.href };
  if (status === 307 || status === 308 || isReading(request.method)) return { ...next, body };
  leave("content-type", "content-length");
  return { ...next, method: "GET", body: undefined };
}

/** Returns whether a redirect of a request never changes its method. */
export const isReading = (method: string) => method === "GET" || method === "HEAD";

function secondsToWait(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? WAIT_SECONDS);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS) : WAIT_SECONDS;
}
