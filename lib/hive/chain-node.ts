import { type Dispatcher, request } from "undici";
import { z } from "zod";
import { readText } from "../async/read-body.ts";
import { shareClass } from "../async/share-class.ts";
import { originOf } from "../chains.ts";
import { createAccountReads, findAccountsCall, namesIn } from "./account-reads.ts";
import type { Shape } from "./chain-reader.ts";
import { ChainState } from "./chain-state.ts";
import type { LatestResult } from "./latest-result.ts";

const RECHECK_FOREIGN_MS = 60_000;
const CHECK_TIMEOUT_MS = 2000;
const Version = z.object({ chain_id: z.string().optional() });

export type Call = { method: string; params: unknown };

/** One Hive node and its health. Instants are on the given monotonic clock. */
export type ChainNode = {
  readonly host: string;
  /** The instant of the last failure; null once the node has answered again. */
  failedAtMs: number | null;
  /** The head of the last probe: its chain time, and the instant of the answer. */
  head: { timeMs: number; readAtMs: number } | null;
  /**
   * `untold`: the node does not serve the call that identifies its chain. Such nodes are asked after those
   * that serve it.
   */
  chain: "unchecked" | "same" | "untold" | "foreign";
  call<T>(call: Call, shape: Shape<T>, signal: AbortSignal): Promise<T>;
  probe(signal: AbortSignal): Promise<void>;
};

/**
 * Creates a node. Calls wait until it has been asked for its chain id, and fail if that is not ours. Nodes with the
 * same `latestAccounts` parse the same answer about accounts once.
 */
export function createChainNode(
  url: string,
  {
    chainId,
    dispatcher,
    latestAccounts,
  }: { chainId: string; dispatcher: Dispatcher; latestAccounts: LatestResult },
): ChainNode {
  let checkedAtMs = 0;
  let checking: Promise<void> | null = null;
  const readAccounts = createAccountReads({
    ask: (names, shape, signal) =>
      callNode(url, findAccountsCall(names), shape, { dispatcher, signal, latest: latestAccounts }),
    isOfAnswer: (error) => error instanceof ChainError || (error instanceof NodeFault && error.isOfAnswer),
    toFault: (cause) => new NodeFault("timeout", { mayHaveArrived: true, cause }),
  });

  const check = async () => {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const call = { method: "database_api.get_version", params: {} };
    const version = await callNode(url, call, Version, { dispatcher, signal }).catch((error: unknown) => {
      // A node without this API cannot name its chain, but signatures remain bound to ours.
      if (isUnknownMethod(error)) return { chain_id: undefined };
      // The call that waits for this check has not been sent.
      throw new NodeFault("no version", { mayHaveArrived: false, cause: error });
    });
    if (version.chain_id === undefined) node.chain = "untold";
    else node.chain = version.chain_id === chainId ? "same" : "foreign";
    checkedAtMs = performance.now();
  };

  const ensureChain = async () => {
    if (node.chain === "same" || node.chain === "untold") return;
    if (node.chain === "unchecked" || performance.now() - checkedAtMs > RECHECK_FOREIGN_MS) {
      checking ??= check().finally(() => {
        checking = null;
      });
      await checking;
    }
    if (node.chain === "foreign") throw new NodeFault("another chain", { mayHaveArrived: false });
  };

  const node: ChainNode = {
    host: originOf(url),
    failedAtMs: null,
    head: null,
    chain: "unchecked",
    async call(call, shape, signal) {
      try {
        await ensureChain();
        const names = namesIn(call);
        const result = await (names
          ? readAccounts(names, shape, signal)
          : callNode(url, call, shape, { dispatcher, signal }));
        node.failedAtMs = null;
        return result;
      } catch (error) {
        if (error instanceof ChainError) node.failedAtMs = null;
        // A caller that disconnected says nothing about the node; our own timeout does.
        else if (!signal.aborted || signal.reason?.name === "TimeoutError")
          node.failedAtMs = performance.now();
        throw error;
      }
    },
    async probe(signal) {
      const call = { method: "condenser_api.get_dynamic_global_properties", params: [] };
      const { headTimeMs } = await node.call(call, ChainState, signal);
      node.head = { timeMs: headTimeMs, readAtMs: performance.now() };
    },
  };
  return node;
}

const REST_AFTER_FAILURE_MS = 30_000;
const MAX_DEVIATION_MS = 5000;
/** Added to the rank of a node of another chain: more than all other faults together. */
const FOREIGN = 8;
/** If there are only two heads and they differ, either may be wrong. */
const LEAST_FOR_MEDIAN = 3;

/**
 * Sorts nodes by health, stably. Nodes that can't name their chain come after the healthiest, then those whose
 * head is more than 5 s from the median of three or more answering nodes, then those that failed within the
 * last 30 s, and last those of another chain. The healthiest take turns, starting at `turn` (modulo their
 * number). A single healthiest node takes turns with the next healthiest, so that no node gets every attempt.
 * `nowMs` is on the clock of `failedAtMs`.
 */
export function rankNodes(nodes: readonly ChainNode[], nowMs: number, turn = 0): ChainNode[] {
  const middle = medianLead(nodes);
  const rankOf = (node: ChainNode) =>
    (node.chain === "foreign" ? FOREIGN : 0) +
    (node.failedAtMs !== null && nowMs - node.failedAtMs < REST_AFTER_FAILURE_MS ? 4 : 0) +
    (middle !== null && Math.abs((leadOf(node) ?? middle) - middle) > MAX_DEVIATION_MS ? 2 : 0) +
    (node.chain === "untold" ? 1 : 0);
  const ranked = nodes.map((node) => ({ node, rank: rankOf(node) })).sort((a, b) => a.rank - b.rank);
  const lastRank = Math.min(ranked[1]?.rank ?? 0, FOREIGN - 1);
  const count = Math.max(1, ranked.filter(({ rank }) => rank <= lastRank).length);
  const shift = turn % count;
  const ordered = ranked.map(({ node }) => node);
  return [...ordered.slice(shift, count), ...ordered.slice(0, shift), ...ordered.slice(count)];
}

/** Returns the lead of a node's head over our clock, so that answers from different times are comparable. */
const leadOf = ({ head, failedAtMs }: ChainNode) =>
  head === null || failedAtMs !== null ? null : head.timeMs - head.readAtMs;

/** Returns the median lead of the answering nodes, or null if too few answer. */
function medianLead(nodes: readonly ChainNode[]): number | null {
  if (nodes.length < LEAST_FOR_MEDIAN) return null;
  const leads = nodes.flatMap((node) => leadOf(node) ?? []).sort((a, b) => a - b);
  if (leads.length < LEAST_FOR_MEDIAN) return null;
  const upper = leads[Math.floor(leads.length / 2)] ?? 0;
  const lower = leads[Math.floor((leads.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const Envelope = z.union([
  z.object({
    error: z.object({
      code: z.number(),
      message: z.string(),
      data: z
        .object({
          code: z.number().optional(),
          name: z.string().optional(),
          stack: z.array(z.unknown()).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    }),
  }),
  z.object({ result: z.unknown() }).refine((envelope) => "result" in envelope),
]);

/**
 * Signals that the node returned no valid answer: it refused, dropped the call, was late or overloaded, or
 * sent nonsense. Another node may succeed.
 */
export class NodeFault extends Error {
  static {
    shareClass(NodeFault, "NodeFault");
  }

  override readonly name = "NodeFault";
  /** False if the request certainly never reached the node's code. */
  readonly mayHaveArrived: boolean;
  /** True if the node answered, but with a result of another shape or size. */
  readonly isOfAnswer: boolean;

  constructor(message: string, details: { mayHaveArrived: boolean; isOfAnswer?: boolean; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.mayHaveArrived = details.mayHaveArrived;
    this.isOfAnswer = details.isOfAnswer === true;
  }
}

/**
 * Faults that occur before anything is sent. After an answer, even HTTP 429 or 503, the fate of the request
 * is unknown.
 */
const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

type RpcError = { code: number; message: string; data?: { name?: string | undefined } | undefined };

/**
 * JSON-RPC codes of hived and hivemind; all others come from proxies in front of them (-32700, -32603, -32005, 1000,
 * 1050, 1100, …).
 */
const chainCodes = new Set([-32600, -32601, -32602, -32002, -32003]);

/**
 * Returns true if a proxy in front of a node answered instead of the node. Both use `-32000`, but hived's
 * error has a name in its data.
 */
const isGatewayFault = ({ code, message, data }: RpcError) =>
  !(chainCodes.has(code) || (code === -32000 && data?.name !== undefined)) ||
  /^Unable to (send request|map request|parse endpoint)/i.test(message) ||
  /Unable to acquire .*lock/i.test(message);

/**
 * Sends one JSON-RPC call to one node.
 * @throws ChainError if the chain itself refuses, NodeFault if there is no valid answer
 */
async function callNode<T>(
  url: string,
  call: { method: string; params: unknown },
  shape: Shape<T>,
  { latest, ...transport }: Transport & { latest?: LatestResult },
): Promise<T> {
  const text = await exchange(url, call, transport);
  const known = latest?.find(text, shape);
  if (known) return known.result;
  const envelope = Envelope.safeParse(parseJson(text));
  if (!envelope.success) throw new NodeFault("nonsense", { mayHaveArrived: true });
  if ("error" in envelope.data) {
    const { code, message, data } = envelope.data.error;
    if (isGatewayFault(envelope.data.error)) throw new NodeFault(`gateway ${code}`, { mayHaveArrived: true });
    throw new ChainError({
      host: originOf(url),
      rpcCode: code,
      code: data?.code,
      name: data?.name,
      isAsserted: data?.stack !== undefined && data.stack.length > 0,
      message: message.slice(0, 1000),
    });
  }
  const result = shape.safeParse(envelope.data.result);
  if (!result.success)
    throw new NodeFault("unexpected result", { mayHaveArrived: true, isOfAnswer: true, cause: result.error });
  latest?.keep(text, shape, result.data);
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeFault("not JSON", { mayHaveArrived: true, cause });
  }
}

type Transport = { dispatcher: Dispatcher; signal: AbortSignal };

async function exchange(
  url: string,
  { method, params }: { method: string; params: unknown },
  transport: Transport,
): Promise<string> {
  try {
    const { statusCode, body } = await request(url, {
      ...transport,
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "hivegate" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await readText(body, MAX_ANSWER_BYTES);
    if (text === null) throw new NodeFault("answer too large", { mayHaveArrived: true, isOfAnswer: true });
    if (statusCode !== 200) throw new NodeFault(`status ${statusCode}`, { mayHaveArrived: true });
    return text;
  } catch (error) {
    if (error instanceof NodeFault) throw error;
    const mayHaveArrived = !unsent.has(String((error as { code?: unknown }).code));
    throw new NodeFault(transport.signal.aborted ? "timeout" : "connection", {
      mayHaveArrived,
      cause: error,
    });
  }
}

/**
 * A node's refusal of a call, from its JSON-RPC error. `isChainRefusal` returns whether the chain refused a
 * transaction.
 */
export class ChainError extends Error {
  static {
    shareClass(ChainError, "ChainError");
  }

  /** Host and port of the node that refused. */
  readonly host: string;
  /** JSON-RPC code, such as -32003. */
  readonly rpcCode: number;
  /** The chain's code, such as 3010000, if the node sent one. */
  readonly code: number | undefined;
  /** True if the error contains the chain's stack, which shows the failed condition. */
  readonly isAsserted: boolean;

  constructor(fault: {
    host: string;
    rpcCode: number;
    code?: number;
    name?: string;
    isAsserted?: boolean;
    message: string;
  }) {
    super(fault.message);
    this.name = fault.name ?? "ChainError";
    this.host = fault.host;
    this.rpcCode = fault.rpcCode;
    this.code = fault.code;
    this.isAsserted = fault.isAsserted === true;
  }
}

const ASSERTION = 10;
const PARSE_ERROR = 4;
/**
 * The lowest of the chain's codes for transactions: 3010000 is a missing active authority, 4030100 an expiration,
 * 4100100 missing credits.
 */
const LEAST_OF_TRANSACTIONS = 3_000_000;

/**
 * Returns true if the chain itself refused a transaction: its own code, with assert data. After other errors
 * (a timeout, a lock, a proxy's error), the node may still have forwarded the transaction.
 */
export function isChainRefusal({ rpcCode, code, isAsserted }: ChainError): boolean {
  if (!isAsserted || code === undefined || (rpcCode !== -32003 && rpcCode !== -32000)) return false;
  return code === ASSERTION || code === PARSE_ERROR || code >= LEAST_OF_TRANSACTIONS;
}

/** Returns true if the node does not serve this API or method. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof ChainError && (error.rpcCode === -32002 || error.rpcCode === -32601);
}

/** Returns true if the chain refused a transaction as a duplicate. */
export function isDuplicateTransaction(error: ChainError): boolean {
  return error.message.includes("Duplicate transaction check failed");
}
