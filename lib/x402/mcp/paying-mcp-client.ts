import { canonicalJson } from "../canonical-json.ts";
import { createPayer, type Payer, type PayerOptions } from "../client/index.ts";
import { unavailableCodes } from "../paywall/refusals.ts";
import { META_PAYMENT, META_RECEIPT } from "./meta.ts";
import { requiredIn } from "./required-payment.ts";
import type { ToolResult } from "./tool-result.ts";

export type PayingMcpOptions = PayerOptions & {
  /**
   * The address of the server, such as "https://tools.example/mcp", or a name of your choice, such as
   * "mcp://notes", for a program on this machine. `allowedHosts` and `budget.perHost` apply to its host, and
   * payments under way belong to the address.
   */
  server: string | URL;
};

/** The parameters of a call. */
type CallParams = { name: string; arguments?: unknown; _meta?: Record<string, unknown> | undefined };

/** The part of an MCP client that calls tools; the clients of both SDKs have it. */
// biome-ignore lint/suspicious/noExplicitAny: the SDKs differ in their further arguments, which are passed on as they are.
type ToolCaller = { callTool(params: any, ...rest: any[]): Promise<any> };

/** Calls tools and pays for them. */
export type PayingMcpClient<Client extends ToolCaller> = {
  /**
   * Calls a tool as the client does, and pays if the tool asks for a payment.
   * @throws PaymentError instead of paying; the errors of the client
   */
  callTool: Client["callTool"];
  /** Returns the price of a call without paying. A free tool runs. */
  quote: (params: Parameters<Client["callTool"]>[0]) => ReturnType<Payer["quote"]>;
  /** @throws PaymentError `budget_unavailable`, or `chain_unavailable` with a store in the budget */
  spent: Payer["spent"];
};

/** The answer to a paid call: its result, or the error to throw if no later attempt brings a result. */
type Answer = { result: ToolResult } | { error: unknown };

/**
 * Lets an MCP client pay for tools, within the limits, budget and approval of `createPayingFetch`. A payment is signed
 * once per call. If its answer is lost, the same call sends the same payment again.
 * @throws TypeError for invalid options
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
  // Tools settle first, but a payment that bought nothing is sent again with the same call.
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

/** Reads a result as the answer to a paid call, with its receipt. */
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

/**
 * The codes that JSON-RPC reserves for transports. Version 1 of the SDK uses them for a closed connection and
 * a timeout.
 */
const ofTransport = [-32_000, -32_001];

/** Returns whether an error is the server's answer, so the same call would fail again. */
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
