import { createPayer, type Payer, type PayerOptions } from "../client/index.ts";
import { unavailableCodes } from "../paywall/refusals.ts";
import { META_PAYMENT, META_RECEIPT } from "./meta.ts";
import { requiredIn } from "./required-payment.ts";
import { canonicalJson } from "./tool-address.ts";
import type { ToolResult } from "./tool-result.ts";

export type PayingMcpOptions = PayerOptions & {
  /**
   * The address of the server, such as "https://tools.example/mcp", or for a program on this machine a name of yours
   * such as "mcp://notes". Its host is the one that `allowedHosts` and `budget.perHost` limit, and payments under way
   * belong to it.
   */
  server: string | URL;
};

/** The parameters of a call. */
type CallParams = { name: string; arguments?: unknown; _meta?: Record<string, unknown> | undefined };

/** The part of an MCP client that calls tools; those of both SDKs have it. */
// biome-ignore lint/suspicious/noExplicitAny: the SDKs differ in their further arguments, which are passed on as they are.
type ToolCaller = { callTool(params: any, ...rest: any[]): Promise<any> };

/** Calls tools and pays for them. */
export type PayingMcpClient<Client extends ToolCaller> = {
  /**
   * Calls a tool like the client, and pays if it asks for a payment.
   * @throws PaymentError instead of paying; the errors of the client
   */
  callTool: Client["callTool"];
  /** Returns the price of a call, without paying: a tool that is free runs. */
  quote: (params: Parameters<Client["callTool"]>[0]) => ReturnType<Payer["quote"]>;
  /** @throws PaymentError `budget_unavailable`; with a store in the budget also `chain_unavailable` */
  spent: Payer["spent"];
};

/** The answer to a paid call: its result, or the error that is thrown if no later try brings one. */
type Answer = { result: ToolResult } | { error: unknown };

/**
 * Lets an MCP client pay for tools, within the limits, budget and approval of `createPayingFetch`. A payment is signed
 * once per call. If its answer is lost, the same call sends the same payment again.
 * @throws TypeError or RangeError for invalid options
 * @example const { callTool } = payingMcpClient(client, {
 *   server: "https://tools.example/mcp",
 *   ...{ account: "alice", activeKey: "5J...", maxPayment: "0.100 HBD" },
 * });
 * const result = await callTool({ name: "forecast", arguments: { city: "Rome" } });
 */
export function payingMcpClient<Client extends ToolCaller>(
  client: Client,
  { server, ...options }: PayingMcpOptions,
): PayingMcpClient<Client> {
  if (!URL.canParse(server) || new URL(server).host === "")
    throw new TypeError('server must be an address such as "https://tools.example/mcp" or "mcp://notes"');
  // Tools settle first: a payment that brought nothing is sent again with the same call.
  const payer = createPayer({ allowUpfront: true, ...options });
  const url = new URL(server);

  const callTool = async (params: CallParams, ...rest: unknown[]): Promise<ToolResult> => {
    const first: ToolResult = await client.callTool(params, ...rest);
    const required = params._meta?.[META_PAYMENT] === undefined ? requiredIn(first) : null;
    if (!required) return first;
    const signal = signalIn(rest);
    const answer = await payer.pay<Answer>({
      ...{ required, url },
      request: canonicalJson(["tools/call", params.name, params.arguments ?? {}]),
      ...(signal && { signal }),
      async send(payment) {
        try {
          const _meta = { ...params._meta, [META_PAYMENT]: payment };
          return readAnswer(await client.callTool({ ...params, _meta }, ...rest));
        } catch (error) {
          if (isFinal(error)) throw error;
          return { value: { error }, isUnserved: !signal?.aborted };
        }
      },
    });
    if ("error" in answer) throw answer.error;
    return answer.result;
  };

  return {
    callTool: callTool as Client["callTool"],
    quote: async (params) => payer.quote({ required: requiredIn(await client.callTool(params)) ?? {}, url }),
    spent: payer.spent,
  };
}

/** Reads what a result says about its payment. */
function readAnswer(result: ToolResult): Awaited<ReturnType<Parameters<Payer["pay"]>[0]["send"]>> & {
  value: Answer;
} {
  const value = { result };
  const receipt = result._meta?.[META_RECEIPT];
  const required = requiredIn(result);
  if (required) return { value, receipt, required };
  if (asksToWait(result)) return { value, receipt, isUnserved: true };
  // A tool that failed has not delivered, so its payment is left for a repeat of the call.
  return result.isError ? { value } : { value, receipt };
}

function asksToWait({ isError, structuredContent }: ToolResult): boolean {
  const { code } = (structuredContent ?? {}) as { code?: unknown };
  return isError === true && unavailableCodes.some((one) => one === code);
}

/** What JSON-RPC reserves for the transport: the SDK's version 1 uses it for a closed connection and for a timeout. */
const ofTransport = [-32_000, -32_001];

/** Returns whether an error is the server's answer: sent again, the call would fail again. */
function isFinal(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "number" && code < 0 && !ofTransport.includes(code);
}

/** Returns the signal among the further arguments of a call. */
function signalIn(rest: readonly unknown[]): AbortSignal | undefined {
  const [signal] = rest
    .map((argument) => (argument as { signal?: unknown } | null | undefined)?.signal)
    .filter((given) => given instanceof AbortSignal);
  return signal;
}
