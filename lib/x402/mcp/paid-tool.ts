import { answerWithin } from "../../async/time-limits.ts";
import type { AccessOptions } from "../paywall/access-options.ts";
import type { Admitted, PaidContext, PaywallDecision } from "../paywall/decision.ts";
import { type PaywallOptions, readOptions } from "../paywall/options.ts";
import { createPaywallCheck } from "../paywall/paywall-check.ts";
import type { PaymentHeader } from "../paywall/read-payment.ts";
import { createKeptResults } from "./kept-results.ts";
import { paymentIn } from "./meta.ts";
import { addressOfCall, isToolName } from "./tool-address.ts";
import {
  failureResult,
  type PaymentResult,
  refusalResult,
  type ToolResult,
  withReceipt,
} from "./tool-result.ts";

/** Maximum time that a client waits for its result while the store is down. */
const RECORD_MS = 2000;

/** A call of a tool, as the functions among the options receive it. */
export type ToolCall = {
  name: string;
  /** The arguments, checked by the tool's own schema; `undefined` for a tool without one. */
  arguments: unknown;
  /** The SDK's context of the call. */
  context: unknown;
};

export type PaidToolOptions = Omit<
  PaywallOptions<ToolCall>,
  "publicUrl" | "nodes" | "language" | "access" | "discoverable"
> & {
  /**
   * Lets callers return without paying again. Calls carry no signature, so `account` must identify the
   * caller.
   */
  access?: AccessOptions<ToolCall> & Required<Pick<AccessOptions<ToolCall>, "account">>;
  /**
   * The tool's name, as registered. A payment opens this tool only with the same arguments, as its schema returns them:
   * they must be JSON, maps, sets, dates, bytes, `bigint`, or objects with a `toJSON`.
   */
  tool: string;
  /**
   * Called with the errors of `amount`, `receivingAccount` or `access.account`, and for arguments to which no payment
   * can be bound (default: `console.error`). The caller can repeat the same call.
   */
  onFault?: (error: unknown) => void;
};

/** The part of a call's context that carries the payment, in version 2 or 1 of the SDK. */
type CallContext = {
  mcpReq?: { _meta?: Record<string, unknown> | undefined; signal?: AbortSignal };
  _meta?: Record<string, unknown> | undefined;
  signal?: AbortSignal;
};

/**
 * Puts a price on the handler of a tool of an MCP server. The handler runs only for paid calls, and receives the
 * payment as its last argument. A payment buys one result without `isError`; if the tool fails, the same payment may be
 * sent again. For ten minutes, a call that is repeated with its payment gets its result again.
 * @throws TypeError for invalid options
 * @example server.registerTool(
 *   "forecast",
 *   { inputSchema: z.object({ city: z.string() }) },
 *   paidTool({ ...sandbox(), tool: "forecast", amount: "0.050 HBD", receivingAccount: "shop" }, async ({ city }) => ({
 *     content: [{ type: "text", text: `Sun in ${city}` }],
 *   })),
 * );
 */
export function paidTool<Given extends unknown[], Result extends ToolResult>(
  options: PaidToolOptions,
  handler: (...given: [...Given, payment: PaidContext]) => Result | Promise<Result>,
): (...given: Given) => Promise<Result | PaymentResult> {
  const { tool, onFault = console.error, ...priced } = options;
  if (!isToolName(tool)) throw new TypeError("tool must be a tool's name: only letters, digits and _ - . /");
  if (priced.access && !priced.access.account) throw new TypeError("access.account must be a function");
  const settings = readOptions<ToolCall>(priced);
  const check = createPaywallCheck(settings, undefined, onFault);
  const results = createKeptResults(settings.answers, settings.networks);

  const finish = async (
    result: Result,
    { settlement, delivery }: Admitted,
    { payment, place, signal }: { payment: PaymentHeader | null; place: string; signal?: AbortSignal },
  ): Promise<Result | PaymentResult> => {
    if (isUnserved(result) || signal?.aborted) {
      await (isUnserved(result) ? delivery.fail() : delivery.leave());
      return withReceipt(result, settlement);
    }
    const begun = await delivery.begin();
    if (begun.kind === "refused")
      return withReceipt(refusalResult(begun.refusal, settings.paymentFlow), begun.settlement);
    const told = withReceipt(result, begun.settlement);
    if (payment) await results.keep(payment, place, told);
    await answerWithin(RECORD_MS, () => delivery.end("whole")).catch(() => {
      // Ignored: the payment is recorded as soon as the store answers.
    });
    return told;
  };

  return async (...given) => {
    const context = given.at(-1) as CallContext | undefined;
    const { _meta: meta, signal } = context?.mcpReq ?? context ?? {};
    const hasSchema = given.length > 1;
    const call: ToolCall = { name: tool, arguments: hasSchema ? given[0] : undefined, context };
    const payment = paymentIn(meta);
    let decision: PaywallDecision;
    let place: string;
    try {
      const address = addressOfCall(tool, hasSchema ? given[0] : {});
      place = address.origin + address.target;
      decision = await check({ method: "POST", address, payment, isPreflight: false, raw: call });
    } catch (error) {
      onFault(error);
      return failureResult();
    }
    if (decision.kind !== "admitted") {
      const isUsed = decision.kind === "payment-required" && decision.required.code === "payment_replayed";
      const kept = isUsed && payment ? await results.find(payment, place) : null;
      return (kept as Result | null) ?? refusalResult(decision, settings.paymentFlow);
    }
    const { payer, txId } = decision;
    let result: Result;
    try {
      result = await handler(...given, { payer, txId });
    } catch (error) {
      await decision.delivery.fail();
      throw error;
    }
    return finish(result, decision, { payment, place, ...(signal && { signal }) });
  };
}

/** Returns whether a result delivers nothing yet, because the tool failed or asks its caller first. */
const isUnserved = ({ isError, resultType }: ToolResult) =>
  isError === true || (resultType !== undefined && resultType !== "complete");
