import { type Dispatcher, request } from "undici";
import { z } from "zod";
import type { Shape } from "./chain-state.ts";
import { originOf } from "./distinct-nodes.ts";

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const Envelope = z.union([
  z.object({
    error: z.object({
      code: z.number(),
      message: z.string(),
      data: z
        .object({ code: z.number().optional(), name: z.string().optional() })
        .optional()
        .catch(undefined),
    }),
  }),
  z.object({ result: z.unknown() }).refine((envelope) => "result" in envelope),
]);

/** The node gave no answer that counts: refused, cut, late, overloaded, or nonsense. Another node may know better. */
export class NodeFault extends Error {
  override readonly name = "NodeFault";
  /** False when the request certainly never came to the node's own code. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, details: { mayHaveArrived: boolean; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.mayHaveArrived = details.mayHaveArrived;
  }
}

/** Faults before anything was sent, and refusals of the gateways in front of nodes. */
const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const refusingStatus = new Set([404, 405, 413, 429, 503]);

/** What the gateways in front of nodes say as JSON-RPC errors when the node behind them could not be asked. */
const isGatewayFault = (error: { code: number; message: string }) =>
  error.code === -32700 ||
  error.code === -32603 ||
  /^Unable to (send request|map request|parse endpoint)/i.test(error.message) ||
  /Unable to acquire .*lock/i.test(error.message);

/**
 * One JSON-RPC call to one node.
 * @throws ChainError for the chain's own refusal, NodeFault for everything that is no answer.
 */
export async function callNode<T>(
  url: string,
  call: { method: string; params: unknown },
  shape: Shape<T>,
  transport: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<T> {
  const envelope = Envelope.safeParse(await exchange(url, call, transport));
  if (!envelope.success) throw new NodeFault("nonsense", { mayHaveArrived: true });
  if ("error" in envelope.data) {
    const { code, message, data } = envelope.data.error;
    if (isGatewayFault(envelope.data.error)) throw new NodeFault(`gateway ${code}`, { mayHaveArrived: true });
    throw new ChainError({
      host: originOf(url),
      rpcCode: code,
      code: data?.code,
      name: data?.name,
      message: message.slice(0, 1000),
    });
  }
  const result = shape.safeParse(envelope.data.result);
  if (!result.success)
    throw new NodeFault("unexpected result", { mayHaveArrived: true, cause: result.error });
  return result.data;
}

async function exchange(
  url: string,
  { method, params }: { method: string; params: unknown },
  transport: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<unknown> {
  try {
    const { statusCode, body } = await request(url, {
      ...transport,
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "hivegate" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await readText(body);
    if (statusCode !== 200)
      throw new NodeFault(`status ${statusCode}`, { mayHaveArrived: !refusingStatus.has(statusCode) });
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof NodeFault) throw error;
    const mayHaveArrived = !unsent.has(String((error as { code?: unknown }).code));
    throw new NodeFault(transport.signal.aborted ? "timeout" : "connection", {
      mayHaveArrived,
      cause: error,
    });
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new NodeFault("answer too large", { mayHaveArrived: true });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A node's final "no": the request reached the chain's own code and was refused there, so no other node is asked. */
export class ChainError extends Error {
  /** Host and port of the node that refused. */
  readonly host: string;
  /** JSON-RPC code, such as -32003. */
  readonly rpcCode: number;
  /** The chain's own code, such as 3010000, where the node gave one. */
  readonly code: number | undefined;

  constructor(fault: { host: string; rpcCode: number; code?: number; name?: string; message: string }) {
    super(fault.message);
    this.name = fault.name ?? "ChainError";
    this.host = fault.host;
    this.rpcCode = fault.rpcCode;
    this.code = fault.code;
  }
}

/** Returns whether the node said that it does not serve this API or method. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof ChainError && (error.rpcCode === -32002 || error.rpcCode === -32601);
}

/** Returns whether the chain refused a transaction because it knows it already: somebody has sent it. */
export function isDuplicateTransaction(error: ChainError): boolean {
  return error.message.includes("Duplicate transaction check failed");
}
