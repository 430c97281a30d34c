import type { Receipt, Refused, Unavailable } from "../paywall/decision.ts";
import type { PaymentFlow } from "../paywall/payment-flow.ts";
import { describeRefusal, rejectionBody } from "../paywall/refusals.ts";
import { toVersion2, withExtensions } from "../paywall/requirements.ts";
import { META_RECEIPT } from "./meta.ts";

/** The parts of a tool's result that a paid tool reads or writes. */
export type ToolResult = {
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
  /** The result of a call that asks its caller first has a type other than "complete". */
  resultType?: string | undefined;
  _meta?: Record<string, unknown> | undefined;
};

/** A result in place of the tool's own. */
export type PaymentResult = {
  content: Array<{ type: "text"; text: string }>;
  structuredContent: Record<string, unknown>;
  isError: true;
};

/** Sentences that say where a call carries its payment. */
const sentences: Record<string, string> = {
  payment_required:
    'This tool costs {amount}: sign a transfer and send it in _meta["x402/payment"] of the same call.',
  invalid_payload: 'The _meta["x402/payment"] of the call can\'t be read as a payment.',
};

/** Creates the result of a call that does not reach the tool. */
export function refusalResult(decision: Refused, flow: PaymentFlow): PaymentResult {
  if (decision.kind === "payment-required") {
    const { retryAfterSeconds, signedOffers } = decision;
    const required = withExtensions(decision.required, signedOffers?.version2);
    const { code, accepts, returns } = required;
    const error = sentences[code]?.replace("{amount}", accepts[0]?.maxAmountRequired ?? "") ?? required.error;
    return errorResult({ ...toVersion2({ ...required, error }, flow), code, returns, retryAfterSeconds });
  }
  if (decision.kind === "unavailable") return unavailableResult(decision);
  // A call is not a preflight, and its results are stored apart from answers.
  return decision.kind === "rejected" ? errorResult(rejectionBody(decision.code)) : failureResult();
}

/**
 * Asks for the same call with the same payment; it must not look like an offer, for which a client would pay
 * again.
 */
function unavailableResult({ code, retryAfterSeconds }: Unavailable): PaymentResult {
  return errorResult({ error: describeRefusal(code), code, retryAfterSeconds });
}

/** The result for an error in the seller's own code. */
export function failureResult(): PaymentResult {
  return errorResult({
    error: "Something went wrong on our side; make the same call again, with the same payment if it had one.",
    code: "internal",
  });
}

function errorResult(problem: Record<string, unknown>): PaymentResult {
  const text = JSON.stringify(problem);
  return {
    content: [{ type: "text", text }],
    // Parsed from the text, which omits fields without a value.
    structuredContent: JSON.parse(text) as Record<string, unknown>,
    isError: true,
  };
}

/** Returns the result with the receipt of its payment, if the payment was settled. */
export function withReceipt<Result extends ToolResult>(result: Result, settlement: Receipt | null): Result {
  if (settlement === null) return result;
  return { ...result, _meta: { ...result._meta, [META_RECEIPT]: settlement } };
}
