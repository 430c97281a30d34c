import { type Admission, notWrittenDown } from "./admission.ts";
import { createAdmit } from "./admit.ts";
import { findPayment, type PlainAnswer, receiptHeaders, refusalAnswer } from "./answer.ts";
import { type PaywallOptions, readOptions } from "./options.ts";
import { addHeaders, toResponse } from "./web-response.ts";

/** What the handler is told of the payment, beside the framework's own second argument (`params`). */
export type Payment = { payer: string; txId: string };

export type WithPaywallOptions<R extends Request> = PaywallOptions<R> & {
  /**
   * Called with what the handler, `amount` or `receivingAccount` threw (default: `console.error`); the caller gets a
   * 500 and may come again.
   */
  onFault?: (error: unknown) => void;
};

/** The answer to a fault of the seller's own code. */
const failureAnswer: PlainAnswer = {
  status: 500,
  headers: [
    ["cache-control", "no-store"],
    ["content-type", "application/json"],
  ],
  body: JSON.stringify({
    error:
      "Something went wrong on our side; send the same request again, with the same payment if it had one.",
    code: "internal",
  }),
};

/**
 * Puts a price on a route handler (`Request` in, `Response` out). The handler runs for paid requests only and gets
 * `payer` and `txId` in its second argument. A payment buys one answer below 500.
 * @throws TypeError for options that make no sense.
 * @example export const GET = withPaywall(
 *   { amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl: "https://facilitator.example" },
 *   (request, { payer, txId }) => Response.json({ payer, txId }),
 * );
 */
export function withPaywall<R extends Request = Request, C extends object = object>(
  options: WithPaywallOptions<R>,
  handler: (request: R, context: C & Payment) => Response | Promise<Response>,
): (request: R, context?: C) => Promise<Response> {
  const { onFault = console.error, ...priced } = options;
  const settings = readOptions<R>(priced);
  const admit = createAdmit(settings);

  return async (request, context) => {
    const payment = findPayment((name) => request.headers.get(name));
    const { method } = request;
    let admission: Admission;
    try {
      admission = await admit({ method, url: new URL(request.url), payment, raw: request });
    } catch (error) {
      if (isNextSignal(error)) throw error;
      onFault(error);
      return toResponse(failureAnswer);
    }
    const asked = { accept: request.headers.get("accept") ?? "", method, settings };
    if (admission.kind !== "admitted") return toResponse(refusalAnswer(admission, asked));

    const { payer, txId, delivery } = admission;
    const receipt = receiptHeaders(admission, payment);
    const withheld = () => addHeaders(toResponse(refusalAnswer(notWrittenDown, asked)), receipt);
    let response: Response;
    try {
      // Throws for what can't be sent: no answer at all, or one whose body was read or sent before.
      response = addHeaders(await handler(request, { ...(context as C), payer, txId }), receipt);
    } catch (error) {
      if (isNextSignal(error)) {
        if (await delivery.succeed()) throw error;
        return withheld();
      }
      await delivery.fail();
      onFault(error);
      return addHeaders(toResponse(failureAnswer), receipt);
    }
    if (response.status >= 500 || request.signal.aborted) await delivery.fail();
    else if (!(await delivery.succeed())) {
      await response.body?.cancel().catch(() => {
        // It had failed already.
      });
      return withheld();
    }
    return response;
  };
}

/** Next's `redirect()` and `notFound()` throw their answer for Next alone to catch. */
function isNextSignal(error: unknown): boolean {
  const digest = (error as { digest?: unknown } | null)?.digest;
  return typeof digest === "string" && /^NEXT_(REDIRECT|HTTP_ERROR_FALLBACK|NOT_FOUND)/.test(digest);
}
