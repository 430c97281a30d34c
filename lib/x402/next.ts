import { findResponse } from "../async/end-of-answer.ts";
import { assertRequested } from "./assert-requested.ts";
import {
  addHeaders,
  failureAnswer,
  findPayment,
  findSignIn,
  isPreflight,
  receiptHeaders,
  refusalAnswer,
  revealRedirect,
  toResponse,
} from "./paywall/answer.ts";
import { originAsked, splitUrl } from "./paywall/asked-address.ts";
import { collectBody } from "./paywall/collect-body.ts";
import type { Begun, PaidContext, PaywallDecision } from "./paywall/decision.ts";
import { type PaywallOptions, readOptions } from "./paywall/options.ts";
import { isFailure } from "./paywall/payment-flow.ts";
import { createPaywallCheck } from "./paywall/paywall-check.ts";
import { endWithBody, writtenSoon } from "./paywall/watch-body.ts";

/** The second argument that Next passes to a route handler. */
export type RouteContext = { params: Promise<Record<string, string | string[] | undefined>> };

/**
 * A route handler. Next rejects one whose second argument is optional; other servers pass no second argument.
 */
export type PaidRoute<R extends Request, C extends object> = {
  (request: R): Promise<Response>;
  (request: R, context: C): Promise<Response>;
};

export type WithPaywallOptions<R extends Request> = PaywallOptions<R> & {
  /**
   * Called with the errors of the handler, `amount`, `receivingAccount` or `access.account` (default:
   * `console.error`). The caller gets a 500, or for `access.account` a 503, and can retry.
   */
  onFault?: (error: unknown) => void;
};

/**
 * Puts a price on a route handler (`Request` in, `Response` out). The handler runs only for paid requests,
 * and gets `payer` and `txId` in its second argument, in addition to the `params` of its route. A payment
 * buys one complete answer with a status other than 408, 425, 429 or 5xx. A cross-origin preflight is
 * answered with 204; the route's own `OPTIONS` allows other origins.
 * @throws TypeError for invalid options
 * @example export const GET = withPaywall(
 *   { ...sandbox(), amount: "0.050 HBD", receivingAccount: "shop" },
 *   (request, { payer, txId }) => Response.json({ payer, txId }),
 * );
 */
export function withPaywall<R extends Request = Request, C extends object = RouteContext>(
  options: WithPaywallOptions<R>,
  handler: (request: R, context: C & PaidContext) => Response | Promise<Response>,
): PaidRoute<R, C> {
  const { onFault = console.error, ...priced } = options;
  const settings = readOptions<R>(priced);
  const check = createPaywallCheck(settings, undefined, onFault);
  /** The default for servers that pass no second argument. */
  const noParams: RouteContext = { params: Promise.resolve({}) };

  return async (request: R, context?: C) => {
    assertRequested(request);
    const header = (name: string) => request.headers.get(name);
    const payment = findPayment(header);
    const { method } = request;
    const { origin, target } = splitUrl(request.url);
    let decision: PaywallDecision;
    try {
      decision = await check({
        method,
        // The URL's own host is not used, because `next start` puts its own host there, whatever the client
        // requested.
        address: { origin: originAsked(header("host"), origin), target },
        payment,
        signIn: findSignIn(header),
        isPreflight: isPreflight(method, header),
        raw: request,
      });
    } catch (error) {
      if (statusOfSignal(error) !== null) throw error;
      onFault(error);
      return toResponse(failureAnswer);
    }
    const asked = { method, header, raw: request, settings };
    if (decision.kind !== "admitted") return toResponse(refusalAnswer(decision, asked));

    const { payer, txId, settlement, delivery } = decision;
    const receiptOf = (settled: typeof settlement) => receiptHeaders(settled, payment);
    const refused = ({ refusal, settlement: settled }: Extract<Begun, { kind: "refused" }>) =>
      addHeaders(toResponse(refusalAnswer(refusal, asked)), receiptOf(settled));
    let response: Response;
    let hasFailed: boolean;
    try {
      // Throws for anything that cannot be sent: no answer, or one whose body has already been read or sent.
      response = addHeaders(
        await answerOf(request, () => handler(request, { ...noParams, ...(context as C), payer, txId })),
        receiptOf(settlement),
      );
      hasFailed = isFailure(response.status, settings.paymentFlow);
      if (settlement === null && !hasFailed) response = await collectBody(response, request.signal);
    } catch (error) {
      const status = statusOfSignal(error);
      if (status !== null && request.signal.aborted) {
        await delivery.leave();
        throw error;
      }
      if (status !== null && !isFailure(status, settings.paymentFlow)) {
        const begun = await delivery.begin();
        if (begun.kind === "refused") return refused(begun);
        await writtenSoon(delivery.end("whole"));
        throw error;
      }
      await delivery.fail();
      if (status !== null) throw error;
      onFault(error);
      return addHeaders(toResponse(failureAnswer), receiptOf(settlement));
    }
    if (hasFailed) await delivery.fail();
    else if (request.signal.aborted) await delivery.leave();
    else {
      const begun = await delivery.begin();
      if (begun.kind === "begun") {
        response = revealRedirect(addHeaders(response, receiptOf(begun.settlement)), header);
        return endWithBody(response, request, delivery, findResponse(request));
      }
      await response.body?.cancel().catch(() => {
        // Ignored: the body had failed before.
      });
      return refused(begun);
    }
    return response;
  };
}

/** Returns a handler's answer. What it throws by Next's `redirect()` is one too, which has a receipt like any other. */
async function answerOf(request: Request, answer: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const [, location, status] = /^NEXT_REDIRECT;\w+;(.*);(30[1-8]);$/s.exec(digestOf(error)) ?? [];
    if (location === undefined) throw error;
    return new Response(null, { status: isForm(request) ? 303 : Number(status), headers: { location } });
  }
}

/** Returns whether Next takes a request for a form's, and answers its `redirect()` with 303, so that it is sent once. */
const isForm = ({ method, headers }: Request): boolean =>
  method === "POST" &&
  (headers.has("next-action") ||
    /^multipart\/form-data|^application\/x-www-form-urlencoded$/.test(headers.get("content-type") ?? ""));

const digestOf = (error: unknown): string =>
  String((error as { digest?: unknown } | null | undefined)?.digest);

/**
 * Returns the status of an answer that Next's `notFound()` and similar functions throw, which only Next must catch;
 * `null` for other errors.
 */
function statusOfSignal(error: unknown): number | null {
  const digest = digestOf(error);
  if (digest.startsWith("NEXT_REDIRECT")) return 307;
  const [, status = 404] = /^NEXT_(?:NOT_FOUND|HTTP_ERROR_FALLBACK(?:;(\d{3}))?)/.exec(digest) ?? [
    null,
    null,
  ];
  return status === null ? null : Number(status);
}

export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaidContext } from "./paywall/decision.ts";
export type { PaywallOptions } from "./paywall/options.ts";
